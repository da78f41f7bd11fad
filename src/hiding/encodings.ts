import { decode } from './decoded.ts'
import { textOf, unitsOf } from './units.ts'

/** One way in which a secret may be written. */
export interface Form {
  /** How it begins, see `mostSought`. */
  text: string
  /** In units, to its end. */
  length: number
  /** Whether capitals make no difference, as in hex. The text is in lower case then. */
  anyCase: boolean
}

type Written = Pick<Form, 'text' | 'anyCase'>

/** A shorter text may occur by chance, and is no secret. */
export const minLength = 8

/**
 * What begins with so many units of a form counts as the whole form. A hundred tokens as long as they may be would take
 * 80 MiB otherwise.
 */
export const mostSought = 512

/**
 * The ways in which secrets may be written: as they are, in a URL or a form, in JSON, in base64 (also of UTF-16) and hex,
 * also within a longer text that was encoded, as a list of bytes, in HTML, backwards and in rot13; and all of them as
 * `decode` leaves them, which looks for escapes in what is none, and finds no white space. Only secrets of 8 characters
 * and more count.
 */
export function formsOf(secrets: readonly string[]): Form[] {
  const encoded = secrets.filter(({ length }) => length >= minLength).flatMap((secret) => [...encodings(secret)])
  const decoded = encoded
    .filter(({ text }) => /[^!#$'-[\]-~]/.test(text))
    .map((form) => ({ ...form, text: textOf(decode(form.text).units) }))
  const long = [...encoded, ...decoded].filter(({ text }) => text.length >= minLength)
  return distinct(long.map(({ text, anyCase }) => ({ text: beginningOf(text), length: text.length, anyCase })))
}

/** A copy: a slice would keep the whole text. */
const beginningOf = (text: string): string =>
  text.length > mostSought ? textOf(unitsOf(text.slice(0, mostSought))) : text

/** Of forms that begin alike, the longest. */
export function distinct(forms: readonly Form[]): Form[] {
  const longest = new Map<string, Form>()
  for (const form of forms) {
    const key = `${form.anyCase} ${form.text}`
    if ((longest.get(key)?.length ?? 0) < form.length) longest.set(key, form)
  }
  return [...longest.values()]
}

function* encodings(secret: string): Generator<Written> {
  const bytes = Buffer.from(secret)
  const pairs = bytes.toString('hex').match(/../g) ?? []
  const wide = Buffer.from(secret, 'utf16le')
  const numbers = [',', ''].map((between) => [...bytes].join(between))
  const exact = [...written(secret), ...inBase64(bytes), ...inBase64(wide), ...numbers, bytes.toString('latin1')]
  for (const text of [...exact, Array.from(secret).toReversed().join(''), inRot13(secret)])
    yield { text, anyCase: false }
  const hex = ['', ':', '-', ','].map((between) => pairs.join(between))
  const escaped = Array.from(unitsOf(secret), (unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
  const listed = [',', ''].map((between) => pairs.map((pair) => `0x${pair}`).join(between))
  const inAddress = encodeURIComponent(secret.toWellFormed())
  const inForm = new URLSearchParams([['', secret]]).toString().slice(1)
  for (const text of [...hex, ...listed, escaped, inAddress, inForm]) yield { text: text.toLowerCase(), anyCase: true }
}

/** In plain text, JSON and HTML. */
function written(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1)
  const inHtml = secret.replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? sign)
  return [secret, inJson, inJson.replaceAll('/', '\\/'), inHtml]
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/**
 * What base64 and base64url (RFC 4648) show of a secret, whatever stands before and after it: a character has six bits,
 * so there are three ways in which bytes fall on characters, and the outermost characters depend on the neighbours.
 */
function inBase64(bytes: Buffer): string[] {
  const shown = [0, 1, 2].map((before) => {
    const [from, to] = [Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6)]
    return Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .slice(from, to)
  })
  return [...shown, ...shown.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))]
}

const inRot13 = (text: string): string =>
  text.replaceAll(/[a-z]/gi, (letter) => {
    const code = letter.charCodeAt(0)
    return String.fromCharCode(code + ((code & 31) <= 13 ? 13 : -13))
  })
