/** A shorter text may stand anywhere by chance, and is no secret either. */
const shortest = 8
const replacement = '[token]'

/**
 * A site's words without the secrets that were just sent to it: some sites quote the token that they refuse, and what
 * they say is stored, mailed, logged and read by models. Finds each as it is, in an address or a form, and in JSON;
 * whoever means to disguise one can, but knows it anyway. Only secrets of 8 characters and more are looked for.
 */
export const withoutSecrets = (words: string, secrets: readonly string[]): string => clean(words, formsOf(secrets))

const jsonString = /"[^"\\]*(?:\\.[^"\\]*)*"/g

/**
 * The same for a text that is valid JSON, and stays so: only its strings are looked at, names of members included, and
 * everything else, numbers of any length too, is left as it was written.
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

/** Longest first: what is written otherwise may contain parts of what is not. */
const formsOf = (secrets: readonly string[]): string[] =>
  [...new Set(secrets.filter(({ length }) => length >= shortest).flatMap(waysToWrite))].toSorted(
    (one, other) => other.length - one.length,
  )

function waysToWrite(secret: string): string[] {
  const inAddress = encodeURIComponent(secret.toWellFormed())
  const inForm = new URLSearchParams([['', secret]]).toString().slice(1)
  const inJson = JSON.stringify(secret).slice(1, -1)
  const lowercase = [inAddress, inForm].map((text) => text.replaceAll(/%\w\w/g, (code) => code.toLowerCase()))
  return [secret, inAddress, inForm, ...lowercase, inJson, inJson.replaceAll('/', '\\/')]
}
