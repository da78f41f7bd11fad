import type * as inThread from '../../../in-thread.ts'
import { decodeUtf8 } from '../../../json.ts'
import { isEventStream, type SafeStream, type StreamedResponse } from '../../../safe-fetch/safe-fetch.ts'
import { SafeFetchError } from '../../../safe-fetch/safe-fetch-error.ts'
import { orElse, type Threads } from '../../../threads/threads.ts'
import { inlineCharacters } from '../../../threads/inline-characters.ts'
import { attempts, type Attempt } from './attempt.ts'
import { isResumable, resumedStream, resumption, type Resume } from './resumed-stream.ts'
import { trimMessage, type GivenMessage, type TrimmedMessage } from './trim-message.ts'

/** Limits of each response of a session, and how responses are read. */
export interface Reading {
  stream: SafeStream
  threads: Pick<Threads<typeof inThread>, 'run'>
  /** The fairness key in the threads. */
  party: string
  timeoutMs: number
  /** The size of a response to a call, or to a request for the list. */
  maxBytes: number
}

/** The size of other responses. The library reads what a server says about itself in the event loop. */
const mostToOpen = 64 * 1024

/** Requests of a server in one attempt that the library checks. Fewer are answered. */
const mostQuestions = 20

/**
 * The `fetch` under the library's transport. All requests go through the safe fetch: redirects are errors, and a body
 * that is too large or too slow ends with one. Statuses that mean the same in every protocol end the attempt. Messages
 * are trimmed before the library sees them.
 */
export function sessionFetch({ stream, threads, party, timeoutMs, maxBytes }: Reading) {
  const read = async (given: GivenMessage): Promise<TrimmedMessage> =>
    given.text.length <= inlineCharacters
      ? trimMessage(given)
      : threads.run(party, 'trimMessage', given).catch(orElse({}))

  /** Keeps the result in the message for the attempt. `answered` is true after the answer. */
  const trimFor =
    (attempt: Attempt, progress: { answered?: boolean } = {}) =>
    async (text: string) => {
      const { id = '' } = attempt.request ?? {}
      const place = isOfTools(attempt) ? attempt.results.length : undefined
      const { message, isAnswer, result } = await read({ text, id, place })
      if (result !== undefined) attempt.results.push(result)
      if (isAnswer) progress.answered = true
      else attempt.hasSpoken = true
      if (message !== undefined && !isAnswer) attempt.questions = (attempt.questions ?? 0) + 1
      return (attempt.questions ?? 0) > mostQuestions && !isAnswer ? undefined : message
    }

  /** What the library gets of a response. Throws for one that ends the attempt. */
  async function readable(response: StreamedResponse, attempt: Attempt, resume: Resume): Promise<Response> {
    const { status } = response
    Object.assign(attempt, { status, isStream: isStream(response) })
    if (isEmpty(status)) return withoutBody(response)
    if (isStream(response) && !isRefusal(status)) {
      const progress: { answered?: boolean } = {}
      const isAnswered = () => progress.answered === true
      const body = resumedStream(response.body, trimFor(attempt, progress), { isAnswered, resume })
      return new Response(ReadableStream.from(body), response)
    }
    const whole = await readWhole(response)
    if (!isRefusal(status))
      return new Response(
        isJson(response) ? await trimWhole(whole.body, trimFor(attempt)) : shortBody(whole.body),
        whole,
      )
    Object.assign(attempt, { refusal: whole })
    throw new Error(`The server responded with ${status}.`)
  }

  return async (url: string | URL, { method, headers, body }: RequestInit = {}): Promise<Response> => {
    // Streams that a server writes to without a request stay open for nothing. This is how servers decline them.
    if (method === 'GET') return new Response(null, { status: 405 })
    // Without an attempt, nobody asks what becomes of the request.
    const attempt: Attempt = attempts.getStore() ?? {
      signal: new AbortController().signal,
      endsAt: Infinity,
      results: [],
    }
    const onFailure = (failure: SafeFetchError) => void Object.assign(attempt, { failure })
    try {
      const request = {
        url: String(url),
        headers: Object.fromEntries(new Headers(headers)),
        maxBytes: isOfTools(attempt) ? maxBytes : Math.min(maxBytes, mostToOpen),
      }
      const response = await stream({
        ...request,
        method: method === 'DELETE' ? method : 'POST',
        ...(typeof body === 'string' && { body }),
        timeoutMs: Math.max(0, Math.min(timeoutMs, attempt.endsAt - performance.now())),
        signal: attempt.signal,
        onFailure,
      })
      const isCall = response.status === 200 && isResumable(attempt, request.headers)
      const resume = isCall ? resumption({ ...request, stream, attempt }) : async () => undefined
      return await readable(response, attempt, resume)
    } catch (error) {
      if (error instanceof SafeFetchError) onFailure(error)
      throw error
    }
  }
}

const isRefusal = (status: number): boolean =>
  status === 401 || status === 403 || status === 408 || status === 429 || status >= 500

/** Acknowledgements (202), and statuses without a body. */
const isEmpty = (status: number): boolean => status === 202 || status === 204 || status === 205 || status === 304

const isStream = (response: StreamedResponse): boolean => !isEmpty(response.status) && isEventStream(response.headers)

const isJson = (response: StreamedResponse): boolean =>
  response.status < 400 && /^\s*application\/json\s*(?:;|$)/i.test(response.headers.get('content-type') ?? '')

function withoutBody({ status, headers, body }: StreamedResponse): Response {
  void body.cancel()
  return new Response(null, { status, headers })
}

/** The body of an error, whose words may say what is wrong with a session. Nobody reads longer ones. */
const shortBody = (body: Uint8Array<ArrayBuffer>) => (body.length > inlineCharacters ? '' : body)

const isOfTools = ({ request }: Attempt): boolean => /^(?:tools|tasks)\//.test(request?.method ?? '')

/** What is left of a body that is one message, or a list of them. Nothing is left of one that is neither. */
const trimWhole = async (body: Uint8Array, trim: (text: string) => Promise<string | undefined>): Promise<string> =>
  (await trim(decodeUtf8(body) ?? '')) ?? '[]'

const readWhole = async ({ status, headers, body }: StreamedResponse) => ({
  status,
  headers,
  body: new Uint8Array(await new Response(body).arrayBuffer()),
})
