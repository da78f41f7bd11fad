/** The most redirect URIs of a client, and the longest, in characters. */
export const mostRedirectUris = 10
const longest = 500

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

/** A scheme of an app on a device: a domain of its maker in reverse (RFC 8252, 7.1). */
const reverseDomain = /^[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+:$/

/**
 * Why a client may not use a redirect URI; undefined if it may: https, http on the loopback with any port (RFC 8252,
 * 7.3), or a scheme that is a reversed domain.
 */
export function problemOfRedirectUri(uri: unknown): string | undefined {
  if (typeof uri !== 'string' || uri.length > longest) return `must be texts of at most ${longest} characters`
  const url = URL.parse(uri)
  if (!url || uri.includes('#')) return 'must be addresses without a fragment'
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password'
  if (url.protocol === 'https:' || reverseDomain.test(url.protocol)) return undefined
  if (url.protocol === 'http:' && loopback.has(url.hostname)) return undefined
  return 'must use https, http with localhost, 127.0.0.1 or [::1], or a scheme such as com.example.app'
}

/** What a person recognizes in a redirect URI: the host, or the scheme of an app on the device. */
export function shownHost(uri: string): string {
  const { host, protocol } = new URL(uri)
  return protocol === 'https:' || protocol === 'http:' ? host : protocol
}
