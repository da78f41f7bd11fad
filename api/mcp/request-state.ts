import { CodedError } from '../../src/errors.ts'
import type { McpUser } from './mcp-user.ts'

/** A person may think as long as this about a form, in milliseconds. After that, the call starts anew. */
const longestMs = 3_600_000

/** What a run has asked, for the request that brings the answers. */
export interface AskedState {
  runId: string
  /** The arguments that were shown, as `argumentsHash` of each approval. */
  shown: Record<string, string>
}

const placeOf = ({ userId }: Pick<McpUser, 'userId'>) => ({ id: userId, column: 'mcp_request_state' })

const nowMs = ({ services }: McpUser): number => services.clock.now().getTime()

/** The state as the client carries it: sealed, for this user alone. */
export const sealState = (user: McpUser, state: AskedState): string =>
  user.services.sealing.seal(JSON.stringify({ ...state, until: nowMs(user) + longestMs }), placeOf(user))

/** The state that a client brings back. VALIDATION_ERROR if it is too old, another user's, or not ours. */
export function openState(user: McpUser, sealed: string): AskedState {
  const { until, ...state } = JSON.parse(openText(user, sealed)) as AskedState & { until: number }
  if (nowMs(user) > until) throw refused()
  return state
}

function openText(user: McpUser, sealed: string): string {
  try {
    return user.services.sealing.open(sealed, placeOf(user))
  } catch (cause) {
    throw refused(cause)
  }
}

const refused = (cause?: unknown): CodedError =>
  new CodedError('VALIDATION_ERROR', { message: 'The requestState is invalid or too old. Call the tool again.', cause })
