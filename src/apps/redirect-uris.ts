/** The most redirect URIs of a client, and the longest, in characters. */
export const mostRedirectUris = 10
const longest = 500

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

/** A scheme of an app on a device: a domain of its maker in reverse (RFC 8252, 7.1). */
const reverseDomain = /^[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+:$/

/** Other apps on a device use one word and a host, such as `cursor://anysphere.cursor-mcp/`. */
const oneWord = /^[a-z][a-z0-9]{2,30}:\/\/[a-z0-9]/

/** Schemes that a browser or an operating system handles itself, so no app waits there for a code. */
const handledElsewhere = new Set(
  'about blob chrome data edge file filesystem ftp http https intent jar javascript mailto resource shell sms tel vbscript ws wss'
    .split(' ')
    .map((scheme) => `${scheme}:`),
)

/**
 * Why a client may not use a redirect URI; undefined if it may: https, http on the loopback with any port (RFC 8252,
 * 7.3), or a scheme of an app: a reversed domain, or one word that nothing else handles.
 */
export function problemOfRedirectUri(uri: unknown): string | undefined {
  if (typeof uri !== 'string' || uri.length > longest) return `must be texts of at most ${longest} characters`
  const url = URL.parse(uri)
  if (!url || uri.includes('#')) return 'must be addresses without a fragment'
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password'
  if (url.protocol === 'https:' || reverseDomain.test(url.protocol)) return undefined
  if (url.protocol === 'http:' && loopback.has(url.hostname)) return undefined
  if (oneWord.test(uri) && !handledElsewhere.has(url.protocol)) return undefined
  return 'must use https, http with localhost, 127.0.0.1 or [::1], or a scheme of an app such as com.example.app or example://app'
}

/** What a person recognizes in a redirect URI: the host, or for an app on the device the scheme. */
export function shownHost(uri: string): string {
  const { host, protocol } = new URL(uri)
  return protocol === 'https:' || protocol === 'http:' ? host : protocol
}
