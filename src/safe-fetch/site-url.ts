import { assertThat, isCoded } from '../errors.ts'

/** Characters. Longer addresses are rejected unparsed. */
export const longestUrl = 2048

/**
 * Texts that are rejected, in this order. Parsers silently repair them (a tab is dropped, a backslash becomes a slash),
 * so the fetched address would differ from the one that a person reads.
 */
const refusedTexts: [(text: string) => boolean, string][] = [
  [(text) => text.length > longestUrl, `The URL must have at most ${longestUrl} characters.`],
  [
    (text) => /[\s\p{C}\\]/u.test(text),
    'The URL must not contain spaces, line breaks, control or invisible characters, or backslashes.',
  ],
  [(text) => !/^[a-z][a-z\d+.-]*:\/\//i.test(text), 'The URL must include the protocol (https://).'],
  [(text) => !/^https:/i.test(text), 'The URL must start with https://. Other protocols are not supported.'],
  [(text) => authority(text) === '', 'The URL must have a host after https://.'],
  [(text) => authority(text).includes('@'), 'The URL must not contain a user name or password.'],
  [(text) => authority(text).includes('%'), "The URL's host must not be percent-encoded."],
  [(text) => text.includes('#'), 'The URL must not have a fragment. Remove the # and everything after it.'],
]

/** Ports above 1023 of services other than web servers: those that fetch itself blocks, databases, control planes. */
const servicePorts = new Set([
  1433, 1434, 1521, 1719, 1720, 1723, 2049, 2181, 2375, 2376, 2379, 2380, 3306, 3389, 3659, 4045, 4190, 5060, 5061,
  5432, 5433, 5672, 5900, 6000, 6379, 6380, 6443, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 7233, 9042, 9092,
  9200, 9300, 10_080, 10_250, 11_211, 27_017,
])

/** The part between `https://` and the path, as written. */
const authority = (text: string): string => /^https:\/\/([^/?#]*)/i.exec(text)?.[1] ?? ''

/** Sites use 443 or an unassigned port. Requests to other ports would only probe infrastructure. */
const isSitePort = (port: string): boolean => port === '' || (Number(port) >= 1024 && !servicePorts.has(Number(port)))

/**
 * Parses an address from a person or a manifest: `https` only, without credentials, fragment or anything that parsers
 * read differently. The connection checks later whether the host may be reached. Throws INVALID_URL
 * (docs/specification.md, "Codes") with a helpful sentence that does not repeat the address.
 */
export function parseSiteUrl(text: string): URL {
  for (const [refused, message] of refusedTexts) assertThat(!refused(text), 'INVALID_URL', { message })
  const url = URL.parse(text)
  assertThat(url?.protocol === 'https:', 'INVALID_URL')
  // A final dot would make one host two for rate limits and certificates.
  assertThat(!url.hostname.endsWith('.'), 'INVALID_URL', { message: "The URL's host must not end with a dot." })
  assertThat(isSitePort(url.port), 'INVALID_URL', {
    message: "The URL's port is not allowed. Use 443 or a web port from 1024.",
  })
  return url
}

/** The sentence about an address that `parseSiteUrl` rejects; undefined for one that it takes. */
export function siteUrlProblem(text: string): string | undefined {
  try {
    parseSiteUrl(text)
    return undefined
  } catch (error) {
    if (isCoded(error, 'INVALID_URL')) return error.message
    throw error
  }
}
