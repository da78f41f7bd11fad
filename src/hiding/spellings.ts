/** A shorter text may occur by chance and is not treated as a secret. */
export const minLength = 8

/**
 * The ways in which programs write a secret: plain, in JSON, in a URL or a form, in hex, and in base64 and base64url,
 * also inside a longer encoded text. None for fewer than 8 characters.
 */
export function spellingsOf(secret: string): Set<string> {
  if (secret.length < minLength) return new Set()
  const bytes = Buffer.from(secret)
  const hex = bytes.toString('hex')
  return new Set([secret, ...inJson(secret), ...inUrl(secret), ...inBase64(bytes), hex, hex.toUpperCase()])
}

/** RFC 8259 does not say what to escape: browsers escape least, and PHP, Python, Go and .NET each escape more. */
function inJson(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1)
  const ascii = json.replaceAll(/[^ -~]/g, escaped)
  const go = json.replaceAll(/[&<>]/g, escaped)
  const net = json.replaceAll(/\\"|[&'+<>`]|[^ -~]/g, (sign) => `\\u${escaped(sign).slice(2).toUpperCase()}`)
  return [json, ascii, go, net, json.replaceAll('/', '\\/'), ascii.replaceAll('/', '\\/')]
}

/** The second character of a two-character escape. */
const escaped = (sign: string): string =>
  `\\u${sign
    .charCodeAt(sign.length - 1)
    .toString(16)
    .padStart(4, '0')}`

/** Characters that URLs and forms do not escape, besides letters and digits. Each writer has its own set. */
const unescaped = [
  '-_.~', // RFC 3986 to the letter: PHP, .NET, Go, Ruby
  '-_.~/', // Python
  '-_.', // forms of PHP
  '-_.*', // forms of browsers and Java
  "-_.~!*'()", // encodeURIComponent
  '-_.~$&+=:@', // paths of Go
  "-_.~!*'();/?:@&=+$,#", // encodeURI
  "-_.~!*'();/?:@&=+$,#[]", // requests, for Python
]

/** A form writes a blank as a plus sign. Escapes may be upper or lower case. */
function inUrl(secret: string): string[] {
  const code = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`
  const all = encodeURIComponent(secret.toWellFormed()).replaceAll(/[^\w%]|_/g, code)
  const written = unescaped.flatMap((signs) => {
    const kept = new Map(Array.from(signs, (sign) => [code(sign), sign]))
    const url = all.replaceAll(/%../g, (escape) => kept.get(escape) ?? escape)
    return [url, url.replaceAll('%20', '+')]
  })
  return [...written, ...written.map((url) => url.replaceAll(/%../g, (escape) => escape.toLowerCase()))]
}

/**
 * The invariant part of a secret in base64 and base64url (RFC 4648), whatever surrounds it. A character has six bits,
 * so bytes align with characters in three ways, and the outermost characters depend on the neighbours.
 */
const inBase64 = (bytes: Buffer): string[] =>
  [0, 1, 2].flatMap((before) => {
    const [from, to] = [Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6)]
    const shifted = Buffer.concat([Buffer.alloc(before), bytes])
    return [shifted.toString('base64').slice(from, to), shifted.toString('base64url').slice(from, to)]
  })
