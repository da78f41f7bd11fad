import { assertThat } from '../errors.ts'

/** Longer addresses are refused before anything parses them. */
const longest = 2048

/**
 * What is refused in the text itself, in this order. Parsers repair such texts silently and differently (a tab is
 * dropped, a backslash becomes a slash, `https:///x` gets a host), so what a person reads is not what is fetched.
 */
const refusedTexts: [(text: string) => boolean, string][] = [
  [(text) => text.length > longest, `The URL is longer than ${longest} characters.`],
  [
    (text) => /[\s\p{C}\\]/u.test(text),
    'The URL must not contain spaces, line breaks, control or invisible characters, or backslashes.',
  ],
  [(text) => !/^[a-z][a-z\d+.-]*:\/\//i.test(text), 'URLs must include the protocol (https://).'],
  [(text) => !/^https:/i.test(text), 'The URL must start with https://. Other protocols are not allowed.'],
  [(text) => authority(text) === '', 'The URL names no host after https://.'],
  [(text) => authority(text).includes('@'), 'The URL must not contain a user name or password.'],
  [(text) => authority(text).includes('%'), 'The host of the URL must not be percent-encoded.'],
  [(text) => text.includes('#'), 'The URL must not have a fragment. Leave out the # and what follows it.'],
]

/** Above 1023, ports of services that are no web servers: those that fetch itself blocks, databases, control planes. */
const servicePorts = new Set([
  1433, 1434, 1521, 1719, 1720, 1723, 2049, 2181, 2375, 2376, 2379, 2380, 3306, 3389, 3659, 4045, 4190, 5060, 5061,
  5432, 5433, 5672, 5900, 6000, 6379, 6380, 6443, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 7233, 9042, 9092,
  9200, 9300, 10_080, 10_250, 11_211, 27_017,
])

/** The part between `https://` and the path, as it was written. */
const authority = (text: string): string => /^https:\/\/([^/?#]*)/i.exec(text)?.[1] ?? ''

/** Sites are served on 443 or on a free port; elsewhere a request would only probe somebody's infrastructure. */
const isSitePort = (port: string): boolean => port === '' || (Number(port) >= 1024 && !servicePorts.has(Number(port)))

/**
 * Parses an address that a person or a manifest gave: `https` only, without credentials, fragment or anything that
 * parsers read differently. Says nothing about whether its host may be reached; that is judged on connecting. Throws
 * INVALID_URL (docs/specification.md, "Codes") with a sentence that helps and does not repeat the address.
 */
export function parseSiteUrl(text: string): URL {
  for (const [refused, message] of refusedTexts) assertThat(!refused(text), 'INVALID_URL', { message })
  const url = URL.parse(text)
  assertThat(url?.protocol === 'https:', 'INVALID_URL')
  // A trailing dot would make one host two for rate limits and certificates.
  assertThat(!url.hostname.endsWith('.'), 'INVALID_URL', { message: 'The host of the URL must not end with a dot.' })
  assertThat(isSitePort(url.port), 'INVALID_URL', {
    message: 'The port of the URL is not one that sites are served on.',
  })
  return url
}
