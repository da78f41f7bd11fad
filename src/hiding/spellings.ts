/** A shorter text may occur by chance, and is no secret. */
export const minLength = 8

/**
 * The ways in which programs write a secret: as it is, in JSON, in a URL or a form, in base64 and base64url, also within a
 * longer text that was encoded, and in hex. None if it has fewer than 8 characters.
 */
export function spellingsOf(secret: string): Set<string> {
  if (secret.length < minLength) return new Set()
  const bytes = Buffer.from(secret)
  const hex = bytes.toString('hex')
  return new Set([secret, ...inJson(secret), ...inUrl(secret), ...inBase64(bytes), hex, hex.toUpperCase()])
}

/** RFC 8259 leaves open what is escaped: browsers escape least; PHP, Python, Go and .NET more, each in its own way. */
function inJson(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1)
  const ascii = json.replaceAll(/[^ -~]/g, escaped)
  const go = json.replaceAll(/[&<>]/g, escaped)
  const net = json.replaceAll(/\\"|[&'+<>`]|[^ -~]/g, (sign) => `\\u${escaped(sign).slice(2).toUpperCase()}`)
  return [json, ascii, go, net, json.replaceAll('/', '\\/'), ascii.replaceAll('/', '\\/')]
}

/** Of an escape of two characters, the second. */
const escaped = (sign: string): string =>
  `\\u${sign
    .charCodeAt(sign.length - 1)
    .toString(16)
    .padStart(4, '0')}`

/** The signs that stand for themselves in URLs and forms, beside letters and digits: each writer has others. */
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

/** In forms a plus sign is a blank; escapes are in capitals or not. */
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
 * What base64 and base64url (RFC 4648) show of a secret, whatever stands before and after it: a character has six bits,
 * so there are three ways in which bytes fall on characters, and the outermost characters depend on the neighbours.
 */
const inBase64 = (bytes: Buffer): string[] =>
  [0, 1, 2].flatMap((before) => {
    const [from, to] = [Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6)]
    const shifted = Buffer.concat([Buffer.alloc(before), bytes])
    return [shifted.toString('base64').slice(from, to), shifted.toString('base64url').slice(from, to)]
  })
