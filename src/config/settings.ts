import * as v from 'valibot'

/** The formats of settings: each parses the text of an environment variable. */

/** true or false; 1 and 0 mean the same. */
export const flag = (fallback: boolean) =>
  v.pipe(
    v.optional(v.picklist(['true', 'false', '1', '0']), fallback ? 'true' : 'false'),
    v.transform((text) => text === 'true' || text === '1'),
  )
export const whole = (fallback: number, min = 1, max = 1_000_000_000) =>
  v.pipe(
    v.optional(v.pipe(v.string(), v.regex(/^\d+$/, 'must be a whole number')), String(fallback)),
    v.transform(Number),
    v.minValue(min, `must be at least ${min}`),
    v.maxValue(max, `must be at most ${max}`),
  )
export const optionalWhole = (min: number, max: number) => v.optional(whole(min, min, max))
/** A duration in seconds within limits; fractions such as 0.25 are allowed. */
export const seconds = (fallback: number, min: number, max: number) =>
  v.pipe(
    v.optional(
      v.pipe(v.string(), v.regex(/^\d+(\.\d{1,3})?$/, 'must be a number of seconds, such as 5 or 0.25')),
      String(fallback),
    ),
    v.transform(Number),
    v.minValue(min, `must be at least ${min}`),
    v.maxValue(max, `must be at most ${max}`),
  )
/** An amount of USD above zero, such as 0.004. */
export const dollars = (fallback: number) =>
  v.pipe(
    v.optional(
      v.pipe(v.string(), v.regex(/^\d{1,4}(\.\d{1,9})?$/, 'must be an amount in USD, such as 0.004')),
      String(fallback),
    ),
    v.transform(Number),
    v.check((amount) => amount > 0, 'must be more than 0'),
  )
export const text = (fallback: string) => v.optional(v.pipe(v.string(), v.nonEmpty()), fallback)
export const optionalText = () => v.optional(v.pipe(v.string(), v.nonEmpty()))
/** Comma-separated texts; none by default. */
export const list = () =>
  v.pipe(
    v.optional(v.string(), ''),
    v.transform((joined) =>
      joined
        .split(',')
        .map((item) => item.trim())
        .filter(Boolean),
    ),
  )
/** A complete URL. Trailing slashes are removed. */
export const url = (fallback: string) =>
  v.pipe(
    v.optional(v.pipe(v.string(), v.url('must be a complete URL')), fallback),
    v.transform((address) => address.replace(/\/+$/, '')),
  )

/** The address of a web page's server, without slashes at its end. Not set by default. */
export const optionalWebAddress = () =>
  v.optional(
    v.pipe(
      v.string(),
      v.check(
        (given) => /^https?:$/.test(URL.parse(given)?.protocol ?? ''),
        'must be a complete address that begins with http:// or https://',
      ),
      v.transform((address) => address.replace(/\/+$/, '')),
    ),
  )

/** Comma-separated origins, exactly as browsers send them, or `*` alone for any; none by default. */
export const origins = v.pipe(
  list(),
  v.check(
    (given) => (given.length === 1 && given[0] === '*') || given.every(isWebOrigin),
    'must be * alone, or origins such as https://app.example.com separated by commas, without a path or a trailing slash',
  ),
)
const isWebOrigin = (text: string): boolean => /^https?:[^*]+$/.test(text) && URL.parse(text)?.origin === text

/** `name:base64,name:base64`: 32-byte keys by version. The first encrypts new values. */
export const vaultKeys = v.pipe(
  v.string('is required: "name:<32 random bytes in base64>". Separate several keys with commas, the current one first'),
  v.transform((joined) =>
    joined.split(',').map((pair) => {
      const colon = pair.indexOf(':')
      return { name: pair.slice(0, colon).trim(), key: Buffer.from(pair.slice(colon + 1).trim(), 'base64') }
    }),
  ),
  v.check(
    (keys) => keys.every(({ name, key }) => /^[\w-]{1,32}$/.test(name) && key.length === 32),
    'each key must be "name:<32 bytes in base64>"',
  ),
  v.check((keys) => new Set(keys.map(({ name }) => name)).size === keys.length, 'key names must differ'),
)

/** `https://site=client id,https://other=client id`: sites with another client id for the platform. */
export const clientIds = v.pipe(
  v.optional(v.string(), ''),
  v.transform((joined) =>
    joined
      .split(',')
      .filter((pair) => pair.trim() !== '')
      .map((pair) => {
        const equals = pair.indexOf('=')
        return { origin: pair.slice(0, equals).trim(), clientId: pair.slice(equals + 1).trim() }
      }),
  ),
  v.check(
    (pairs) => pairs.every(({ origin, clientId }) => clientId !== '' && URL.parse(origin)?.origin === origin),
    'each entry must be "<site origin>=<client id>", for example https://crm.example.com=switchyard-eu',
  ),
)

/** A token in visible ASCII characters, long enough that nobody guesses it. Not set by default. */
export const metricsToken = v.optional(
  v.pipe(v.string(), v.regex(/^[\x21-\x7e]{16,200}$/, 'must be 16 to 200 visible ASCII characters')),
)

/** `smtp://user:password@host:port`, or `smtps:` for TLS from the first byte. */
export const smtpUrl = v.optional(
  v.pipe(
    v.string(),
    v.check(
      (written) => /^smtps?:\/\/[^/]/.test(written) && URL.canParse(written),
      'must start with smtp:// or smtps://',
    ),
  ),
)
/** An address, or a name and an address in angle brackets. */
export const mailbox = v.optional(
  v.pipe(
    v.string(),
    v.regex(
      /^(?:[^<>@,;:"\p{C}]*<[^\s<>@,;\p{C}]+@[^\s<>@,;\p{C}]+>|[^\s<>@,;\p{C}]+@[^\s<>@,;\p{C}]+)$/u,
      'must be an address, or a name and <an address>',
    ),
  ),
)
/**
 * Keys in PEM, one after another; `
 * ` may represent a line break. The first is private, the others may be public keys.
 */
export const pems = v.pipe(
  v.string('is required: an Ed25519 private key in PEM (PKCS #8). Line breaks may be written as \\n'),
  v.transform((written) =>
    written
      .replaceAll('\\n', '\n')
      .split(/(?=-----BEGIN )/)
      .map((pem) => pem.trim())
      .filter(Boolean),
  ),
  v.check((keys) => keys[0]?.startsWith('-----BEGIN PRIVATE KEY-----') === true, 'must be a PKCS #8 PEM private key'),
  v.check(
    (keys) => keys.every((key) => /^-----BEGIN (?:PRIVATE|PUBLIC) KEY-----/.test(key)),
    'may contain only PKCS #8 private keys and SPKI public keys in PEM',
  ),
)

/**
 * `name=value,name=value`, percent-encoded: headers for an OpenTelemetry collector (OpenTelemetry, "OTLP Exporter").
 */
export const otlpHeaders = v.optional(
  v.pipe(
    v.string(),
    v.check(
      (written) => written.split(',').every((pair) => /^\s*[\w!#$&'*+.^`|~-]+\s*=(?:[^%]|%[\dA-Fa-f]{2})*$/.test(pair)),
      'must be "name=value" pairs, separated by commas, with percent-encoded values',
    ),
    v.transform((written) =>
      Object.fromEntries(
        written.split(',').map((pair) => {
          const equals = pair.indexOf('=')
          return [pair.slice(0, equals).trim(), decodeURIComponent(pair.slice(equals + 1).trim())]
        }),
      ),
    ),
  ),
)

/** OpenTelemetry's samplers that need nothing else. */
export const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

/** A part of the whole, from 0 to 1. */
export const share = v.pipe(
  v.optional(v.pipe(v.string(), v.regex(/^(?:0(?:\.\d{1,9})?|\.\d{1,9}|1(?:\.0{1,9})?)$/, 'must be from 0 to 1')), '1'),
  v.transform(Number),
)
