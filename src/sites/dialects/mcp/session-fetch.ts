import type { SafeStream, StreamedResponse } from '../../../safe-fetch/safe-fetch.ts'
import { SafeFetchError } from '../../../safe-fetch/safe-fetch-error.ts'
import { attempts } from './attempt.ts'

/** Limits of each response of a session. */
export interface Bounds {
  timeoutMs: number
  maxBytes: number
}

/**
 * The `fetch` under the library's transport. All requests go through the safe fetch: redirects are errors, and a body
 * that is too large or too slow ends with one. Statuses that mean the same in every protocol end the attempt.
 */
export function sessionFetch({ stream, timeoutMs, maxBytes }: Bounds & { stream: SafeStream }) {
  return async (url: string | URL, { method, headers, body }: RequestInit = {}): Promise<Response> => {
    // Streams that a server writes to without a request stay open for nothing. This is how servers decline them.
    if (method === 'GET') return new Response(null, { status: 405 })
    // Without an attempt, nobody asks what becomes of the request.
    const attempt = attempts.getStore() ?? { signal: undefined, endsAt: Infinity }
    const onFailure = (failure: SafeFetchError) => void Object.assign(attempt, { failure })
    try {
      const response = await stream({
        url: String(url),
        method: method === 'DELETE' ? method : 'POST',
        headers: Object.fromEntries(new Headers(headers)),
        ...(typeof body === 'string' && { body }),
        timeoutMs: Math.max(0, Math.min(timeoutMs, attempt.endsAt - performance.now())),
        maxBytes,
        signal: attempt.signal,
        onFailure,
      })
      const { status } = response
      Object.assign(attempt, { status, isStream: isStream(response) })
      if (isEmpty(status)) return withoutBody(response)
      if (!isRefusal(status))
        return new Response(isStream(response) ? response.body : await readMessage(response), response)
      Object.assign(attempt, { refusal: await readWhole(response) })
      throw new Error(`The server responded with ${status}.`)
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

const isStream = ({ status, headers }: StreamedResponse): boolean =>
  !isEmpty(status) && /^\s*text\/event-stream\s*(?:;|$)/i.test(headers.get('content-type') ?? '')

function withoutBody({ status, headers, body }: StreamedResponse): Response {
  void body.cancel()
  return new Response(null, { status, headers })
}

/** The longest list of messages. The library checks each of them at once, for as long as a server likes. */
const longestList = 16 * 1024

async function readMessage(response: StreamedResponse): Promise<Uint8Array<ArrayBuffer>> {
  const { body, status } = await readWhole(response)
  const [list, object] = [body.indexOf(0x5b), body.indexOf(0x7b)]
  const isList = list !== -1 && (object === -1 || list < object)
  if (isList && body.length > longestList) throw new SafeFetchError('too-large', { maybeSent: true, status })
  return body
}

const readWhole = async ({ status, headers, body }: StreamedResponse) => ({
  status,
  headers,
  body: new Uint8Array(await new Response(body).arrayBuffer()),
})
