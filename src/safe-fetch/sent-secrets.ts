/** A shorter text may occur by chance, and is no secret. */
const minLength = 8
const replacement = '[token]'

/**
 * A site's text without the secrets that were just sent to it. Some sites quote the token that they refuse, and their
 * text is stored, mailed, logged and read by models. Finds each secret verbatim, in a URL or a form, in JSON, and in
 * base64 and hex, also within a longer text that was encoded. A site can disguise it, but already knows it. Only secrets of 8 characters and more are replaced.
 */
export const withoutSecrets = (words: string, secrets: readonly string[]): string => clean(words, formsOf(secrets))

const jsonString = /"[^"\\]*(?:\\.[^"\\]*)*"/g

/**
 * The same for valid JSON, which stays valid: only strings are changed, including member names. Everything else, such
 * as numbers of any length, stays as written.
 */
export function jsonWithoutSecrets(text: string, secrets: readonly string[]): string {
  const forms = formsOf(secrets)
  if (forms.length === 0) return text
  return text.replaceAll(jsonString, (literal) => {
    const words = literal.includes('\\') ? (JSON.parse(literal) as string) : literal.slice(1, -1)
    const cleaned = clean(words, forms)
    return cleaned === words ? literal : JSON.stringify(cleaned)
  })
}

const clean = (words: string, forms: string[]): string =>
  forms.reduce((text, form) => text.replaceAll(form, replacement), words)

/** Longest first, because an encoded form may contain the plain one. */
const formsOf = (secrets: readonly string[]): string[] =>
  [...new Set(secrets.filter(({ length }) => length >= minLength).flatMap(encodings))].toSorted(
    (one, other) => other.length - one.length,
  )

function encodings(secret: string): string[] {
  const inAddress = encodeURIComponent(secret.toWellFormed())
  const inForm = new URLSearchParams([['', secret]]).toString().slice(1)
  const inJson = JSON.stringify(secret).slice(1, -1)
  const lowercase = [inAddress, inForm].map((text) => text.replaceAll(/%\w\w/g, (code) => code.toLowerCase()))
  const hex = Buffer.from(secret).toString('hex')
  const encoded = [hex, hex.toUpperCase(), ...inBase64(secret)]
  return [secret, inAddress, inForm, ...lowercase, inJson, inJson.replaceAll('/', '\\/'), ...encoded]
}

/**
 * What base64 and base64url (RFC 4648) show of a secret, whatever stands before and after it: a character has six bits,
 * so there are three ways in which bytes fall on characters, and the outermost characters depend on the neighbours.
 */
function inBase64(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const shown = [0, 1, 2].map((before) => {
    const [from, to] = [Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6)]
    return Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .slice(from, to)
  })
  return [...shown, ...shown.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))]
}
