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

/** RFC 3986, and forms, which have a plus sign for a blank; escapes in capitals or not. */
function inUrl(secret: string): string[] {
  const text = secret.toWellFormed()
  const form = new URLSearchParams([['', text]]).toString().slice(1)
  const written = [encodeURI(text), encodeURIComponent(text), form]
  return [...written, ...written.map((url) => url.replaceAll(/%../g, (code) => code.toLowerCase()))]
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
