/**
 * The token in the fragment of a link: `token=…` in mails, or the token alone. undefined if there is none. A token has
 * only letters, digits, dashes and underscores.
 */
export function tokenIn(fragment: string): string | undefined {
  const text = fragment.replace(/^#/, '')
  const token = text.startsWith('token=') ? text.slice('token='.length) : text
  return /^sy_[\w-]{10,190}$/.test(token) ? token : undefined
}

const keyOf = (page: string): string => `switchyard-link ${page}`

/** Keeps a token in this tab, where a reload and a provider's sign-in find it, but neither history nor the server. */
export const keepToken = (page: string, token: string): void => sessionStorage.setItem(keyOf(page), token)

export const keptToken = (page: string): string | undefined => sessionStorage.getItem(keyOf(page)) ?? undefined

/** After the token was used. */
export const forgetToken = (page: string): void => sessionStorage.removeItem(keyOf(page))
