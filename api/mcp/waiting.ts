import { CodedError } from '../../src/errors.ts'
import type { McpUser } from './mcp-user.ts'

/** How long a response waits, in milliseconds. Many clients and proxies give up after a minute. */
export const longestWaitMs = 50_000

/**
 * Does work that may take long, in a place among the open streams. `over` aborts when the time is over, the client has
 * gone or the process stops. Fails with RATE_LIMITED if there is no place, and with the cause if the sender has lost
 * access meanwhile.
 */
export async function inPlace<T>(user: McpUser, gone: AbortSignal, work: (over: AbortSignal) => Promise<T>) {
  const ending = new AbortController()
  const leave = user.stay((cause) => ending.abort(cause))
  try {
    const done = await work(AbortSignal.any([gone, ending.signal, AbortSignal.timeout(longestWaitMs)]))
    if (ending.signal.reason instanceof CodedError) throw ending.signal.reason
    return done
  } finally {
    leave()
  }
}
