import { isCoded } from '../errors.ts'
import { SafeFetchError } from './safe-fetch-error.ts'
import { parseSiteUrl } from './site-url.ts'

/** Headers that belong to the connection or to a browser; browsers' `fetch` drops them too. */
const reservedHeaders = new Set(
  'connection content-length cookie expect host keep-alive te trailer transfer-encoding upgrade'.split(' '),
)

/** The URL of a request, checked against the rules for site addresses. Throws `invalid-url` with a helpful sentence. */
export function readUrl(text: string): URL {
  try {
    return parseSiteUrl(text)
  } catch (error) {
    if (!isCoded(error)) throw error
    throw new SafeFetchError('invalid-url', { maybeSent: false, message: error.message })
  }
}

/** The caller's headers and our User-Agent. A header that HTTP forbids is `invalid-url`, the closest reason. */
export function readHeaders(given: Record<string, string>, userAgent: string, host: string): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given)) {
    if (!reservedHeaders.has(name.toLowerCase())) setHeader(headers, name, value, host)
  }
  headers.set('user-agent', userAgent)
  return headers
}

/** Node's own error quotes the value, which may be a site's token, so it is dropped. */
function setHeader(headers: Headers, name: string, value: string, host: string): void {
  try {
    headers.set(name, value)
  } catch {
    throw new SafeFetchError('invalid-url', { maybeSent: false, host, code: 'INVALID_HEADER' })
  }
}
