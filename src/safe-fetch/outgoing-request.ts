import { isIP } from 'node:net'
import { isCoded } from '../errors.ts'
import { isPublicAddress } from './ip-ranges.ts'
import { SafeFetchError } from './safe-fetch-error.ts'
import { parseSiteUrl } from './site-url.ts'

/** Headers that belong to the connection or to a browser; the `fetch` of a browser drops them from its caller, too. */
const reservedHeaders = new Set(
  'connection content-length cookie expect host keep-alive te trailer transfer-encoding upgrade'.split(' '),
)

/** The address of a request, held to the rules for site addresses. Fails with `invalid-url` and a sentence that helps. */
export function readUrl(text: string): URL {
  try {
    return parseSiteUrl(text)
  } catch (error) {
    if (!isCoded(error)) throw error
    throw new SafeFetchError('invalid-url', { maybeSent: false, message: error.message })
  }
}

/** The caller's headers and our User-Agent. A header that HTTP does not allow is `invalid-url`, the union's nearest. */
export function readHeaders(given: Record<string, string>, userAgent: string, host: string): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given)) {
    if (!reservedHeaders.has(name.toLowerCase())) setHeader(headers, name, value, host)
  }
  headers.set('user-agent', userAgent)
  return headers
}

/** The platform's own error quotes the value, which may be a site's token; so it is dropped. */
function setHeader(headers: Headers, name: string, value: string, host: string): void {
  try {
    headers.set(name, value)
  } catch {
    throw new SafeFetchError('invalid-url', { maybeSent: false, host, code: 'INVALID_HEADER' })
  }
}

/**
 * Refuses a host that is an address and not a public one (`refused-address`): connecting to it needs no lookup, so the
 * judged lookup never sees it. The URL parser has brought decimal, octal, hexadecimal and short forms to one notation.
 */
export function refusePrivateLiteral(url: URL): void {
  const host = bareHost(url)
  if (isIP(host) && !isPublicAddress(host)) throw new SafeFetchError('refused-address', { maybeSent: false, host })
}

/** The host, without the brackets of an IPv6 address. */
export const bareHost = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')

/** Host and port as `allow` compares them. */
export const hostAndPort = (url: URL): string => `${url.hostname}:${url.port || '443'}`

/** An entry of `allow`, in the notation that URLs are brought to. Throws if it is not `host:port`. */
export function readPair(pair: string): string {
  const url = /:\d+$/.test(pair) ? URL.parse(`https://${pair}`) : null
  if (url?.href !== `${url?.origin}/`) throw new Error(`"${pair}" is not a host and a port, like 127.0.0.1:4401`)
  return hostAndPort(url)
}
