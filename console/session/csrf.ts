/** The header that requests with a cookie need to change something. */
export const csrfHeader = 'X-CSRF-Token'

let known: string | undefined

/** The token of the current login, which lasts as long as the login. Empty if there is none. */
export async function csrfToken(): Promise<string> {
  known ??= await fetchToken()
  return known ?? ''
}

export const keepCsrfToken = (token: string | undefined): void => void (known = token)

async function fetchToken(): Promise<string | undefined> {
  const response = await fetch('/auth/csrf')
  if (!response.ok) return undefined
  return ((await response.json()) as { csrfToken: string }).csrfToken
}
