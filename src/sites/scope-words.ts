const mostScopes = 100
/** An authorization request is an address, and servers refuse long ones. */
const mostCharacters = 4000

/** The scopes in texts, each once: visible ASCII without quotes and backslashes (RFC 6749, 3.3), and only so many. */
export function scopeWords(...texts: readonly string[]): string[] {
  const words = texts
    .flatMap((text) => text.split(' '))
    .filter((word) => /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/.test(word))
  let size = 0
  return [...new Set(words)].slice(0, mostScopes).filter((word) => (size += word.length + 1) <= mostCharacters)
}

const mostNamed = 5

/** Scopes in a sentence, as they are, because people compare them with those of the site. */
export function scopesInWords(scopes: readonly string[]): string {
  const named = scopes.slice(0, mostNamed).map((scope) => `"${scope}"`)
  const others = scopes.length - named.length
  const last = others > 0 ? ` and ${others} more` : ''
  return `${scopes.length === 1 ? 'the scope' : 'the scopes'} ${named.join(', ')}${last}`
}
