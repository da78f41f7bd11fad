import { AsyncLocalStorage } from 'node:async_hooks'
import type { SafeFetchError } from '../../../safe-fetch/safe-fetch-error.ts'
import type { SafeResponse } from '../../../safe-fetch/safe-fetch.ts'

/** Requests of a session for one purpose: to open it, to list the tools, or to call one. Facts are of the last one. */
export interface Attempt {
  /** Ends the request that is under way. */
  signal: AbortSignal
  /** When all requests must have ended, by `performance.now()`. */
  endsAt: number
  /** The last request. Its id is a text, because some servers answer with a text for a number. */
  request?: { method: string; id: string }
  /** How many requests of the server the library got to see. */
  questions?: number
  /** Whether the server sent a message before its answer. */
  hasSpoken?: boolean
  /** Results of tools and lists, as JSON texts. The library gets only their places in this list. */
  results: string[]
  status?: number
  /** Whether the response is a stream of events, so that it may still come after the headers. */
  isStream?: boolean
  /** How many requests of the server were answered. */
  replies?: number
  /** Why there is no whole response. */
  failure?: SafeFetchError
  /** A response whose status tells what it means, whatever protocol is spoken. */
  refusal?: SafeResponse
}

/** The library between a call and its request passes nothing through, so a request finds its attempt here. */
export const attempts = new AsyncLocalStorage<Attempt | undefined>()

/**
 * Does the work as one attempt, until its end or until the signal fires. What is still received after the work is
 * dropped.
 */
export async function attempting<T>(
  { endsAt, signal }: { endsAt: number; signal?: AbortSignal | undefined },
  work: (attempt: Attempt) => Promise<T>,
): Promise<T> {
  const ending = new AbortController()
  const stop = () => ending.abort(signal?.reason)
  signal?.throwIfAborted()
  signal?.addEventListener('abort', stop, { once: true })
  const attempt = { signal: ending.signal, endsAt, results: [] }
  try {
    return await attempts.run(attempt, () => work(attempt))
  } finally {
    signal?.removeEventListener('abort', stop)
    ending.abort()
  }
}
