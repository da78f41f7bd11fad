import { isIP } from 'node:net'
import { isCoded } from '../errors.ts'
import { isPublicAddress } from './ip-ranges.ts'
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

/** The caller's headers and our User-Agent. A header that HTTP does not allow is `invalid-url`, the closest reason. */
export function readHeaders(given: Record<string, string>, userAgent: string, host: string): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given)) {
    if (!reservedHeaders.has(name.toLowerCase())) setHeader(headers, name, value, host)
  }
  headers.set('user-agent', userAgent)
  return headers
}

/** Node's own error quotes the value, which may be a site's token; so it is dropped. */
function setHeader(headers: Headers, name: string, value: string, host: string): void {
  try {
    headers.set(name, value)
  } catch {
    throw new SafeFetchError('invalid-url', { maybeSent: false, host, code: 'INVALID_HEADER' })
  }
}

/**
 * Refuses a host that is a private IP address (`refused-address`). Such a host needs no lookup, so the checked lookup
 * never sees it.
 */
export function refusePrivateLiteral(url: URL): void {
  if (isPrivateLiteral(url)) throw new SafeFetchError('refused-address', { maybeSent: false, host: bareHost(url) })
}

/** Whether a host is a private IP address. The URL parser has normalized decimal, octal, hexadecimal and short forms. */
export function isPrivateLiteral(url: URL): boolean {
  const host = bareHost(url)
  return isIP(host) !== 0 && !isPublicAddress(host)
}

/** The host, without the brackets of an IPv6 address. */
export const bareHost = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')

/** Host and port, as `allow` compares them. */
export const hostAndPort = (url: URL): string => `${url.hostname}:${url.port || '443'}`

/** An entry of `allow`, normalized like a URL. Throws if it is not `host:port`. */
export function readPair(pair: string): string {
  const url = /:\d+$/.test(pair) ? URL.parse(`https://${pair}`) : null
  if (url?.href !== `${url?.origin}/`) throw new Error(`"${pair}" is not a host and a port, like 127.0.0.1:4401`)
  return hostAndPort(url)
}
