import { setTimeout as sleep } from 'node:timers/promises'
import { isEventStream, type SafeStream } from '../../../safe-fetch/safe-fetch.ts'
import { SafeFetchError } from '../../../safe-fetch/safe-fetch-error.ts'
import { evenIfStoodStill } from '../../../safe-fetch/standstill.ts'
import type { Attempt } from './attempt.ts'
import { trimStream, type StreamPosition, type Trim } from './trim-body.ts'

type Body = ReadableStream<Uint8Array>

/** How often the rest of one response is asked for. Servers may close streams while a tool works, and want that. */
const mostResumptions = 10
/** How long to wait for a server that does not say it. */
const usualRetryMs = 1000

/** Gets the rest of a response; undefined if there is no way to get it. */
export type Resume = (position: StreamPosition) => Promise<Body | undefined>

/** A response as one stream of trimmed messages, although it may arrive in parts. Throws the last part's error. */
export async function* resumedStream(
  first: Body,
  trim: Trim,
  { isAnswered, resume }: { isAnswered: () => boolean; resume: Resume },
): AsyncGenerator<Uint8Array> {
  const position: StreamPosition = { bytes: 0 }
  let body: Body | undefined = first
  while (body) {
    let failure: unknown
    try {
      yield* trimStream(body, trim, position)
    } catch (error) {
      failure = error
    }
    body = isAnswered() || !isCut(failure) ? undefined : await resume(position)
    if (!body && failure !== undefined) throw failure
  }
}

/** Whether a part ended, or its connection broke. Parts that are too large or late stay what they are. */
const isCut = (failure: unknown): boolean =>
  failure === undefined || (failure instanceof SafeFetchError && failure.reason === 'reset')

interface Resumed {
  stream: SafeStream
  url: string
  /** Of the request. The session and the credential are among them. */
  headers: Record<string, string>
  /** The size of the whole response. */
  maxBytes: number
  attempt: Attempt
}

/**
 * Makes the function that asks for the rest of a response by the id of its last event (MCP 2025-11-25, "Resumability and
 * Redelivery"), within the time of the attempt. A refusal says nothing about the request, which may have been executed:
 * the response stays lost.
 */
export function resumption({ stream, url, headers, maxBytes, attempt }: Resumed): Resume {
  const { 'content-type': _, ...common } = headers
  let times = 0

  /** Whether there is still time after the pause. */
  async function pause(ms: number): Promise<boolean> {
    if (performance.now() + ms >= attempt.endsAt) return false
    await sleep(ms, undefined, { signal: attempt.signal }).catch(() => {})
    return !attempt.signal.aborted
  }

  // It only asks for what the server has to say about a call that was sent.
  const ask = (eventId: string, bytes: number) =>
    evenIfStoodStill(() =>
      stream({
        url,
        method: 'GET',
        headers: { ...common, accept: 'text/event-stream', 'last-event-id': eventId },
        timeoutMs: Math.max(0, attempt.endsAt - performance.now()),
        maxBytes: maxBytes - bytes,
        signal: attempt.signal,
        onFailure: (failure) => void Object.assign(attempt, { failure }),
      }),
    ).catch((error: unknown) => {
      if (error instanceof SafeFetchError) return undefined
      throw error
    })

  return async ({ eventId = '', retryMs = usualRetryMs, bytes }) => {
    while (sendableId.test(eventId) && times < mostResumptions && (await pause(retryMs))) {
      times += 1
      const { failure } = attempt
      const response = await ask(eventId, bytes)
      if (!response) continue
      if (response.status === 200 && isEventStream(response.headers)) {
        // The rest may have failed, too, before this is read.
        if (attempt.failure === failure) delete attempt.failure
        // An error that comes now does not mean that the server refused the request at once.
        attempt.hasSpoken = true
        return response.body
      }
      void response.body.cancel()
      if (response.status < 500) return undefined
    }
    return undefined
  }
}

/** Other ids cannot be in a header, or are longer than any server needs. */
const sendableId = /^[\x21-\x7e](?:[\x20-\x7e]{0,998}[\x21-\x7e])?$/

/** Since 2026-07-28, responses cannot be asked for again. Only a call is worth it: a list is asked for anew. */
export const isResumable = ({ request }: Attempt, headers: Record<string, string>): boolean =>
  request?.method === 'tools/call' && (headers['mcp-protocol-version'] ?? '') < '2026'
