const mostScopes = 100
/** An authorization request is an address, and servers refuse long ones. */
const mostCharacters = 4000

/** The scopes in texts, each once: visible ASCII without quotes and backslashes (RFC 6749, 3.3), and only so many. */
export function scopeWords(...texts: readonly string[]): string[] {
  const words = texts.flatMap((text) => text.split(' ')).filter((word) => /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/.test(word))
  let size = 0
  return [...new Set(words)].slice(0, mostScopes).filter((word) => (size += word.length + 1) <= mostCharacters)
}
