import type { CodedError } from '../../src/errors.ts'
import type { RouteUser } from '../route/use-route.ts'
import type { Authenticated } from './authenticate.ts'

/** The sender of one MCP request, and what the request may use. */
export interface McpUser extends RouteUser, Authenticated {
  /**
   * Takes a place among the open streams of the process, because the response will take long. `end` is called when the
   * process stops, and with the cause when the sender loses access. Returns the function that leaves. Fails with RATE_LIMITED.
   */
  stay: (end: (cause?: CodedError) => void) => () => void
}
