import type { CustomFetchOptions } from 'oauth4webapi'
import type { SafeFetch, SafeResponse } from './safe-fetch.ts'

/** Enough for a token response, a discovery document or a set of keys. */
const maxAnswerBytes = 64 * 1024

/** The safe fetch as a function for the OAuth library. The timeout, in milliseconds, applies to each request. */
export const oauthFetch =
  (fetch: SafeFetch, timeoutMs: number) =>
  async (url: string, { method, headers, body }: CustomFetchOptions<string, unknown>): Promise<Response> =>
    toResponse(
      await fetch({
        url,
        method: method as 'GET' | 'POST',
        headers,
        ...(body instanceof URLSearchParams && { body: body.toString() }),
        timeoutMs,
        maxBytes: maxAnswerBytes,
      }),
    )

/** The safe fetch's response in the form that the OAuth library reads. */
function toResponse({ status, headers, body }: SafeResponse): Response {
  const empty = status === 204 || status === 205 || status === 304
  return new Response(empty ? null : new Uint8Array(body), { status, headers })
}
