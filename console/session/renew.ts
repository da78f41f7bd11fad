import { keepCsrfToken } from './csrf.ts'

let renewing: Promise<boolean> | undefined

/**
 * Renews the login by the refresh token in the cookie. Returns false if the login has ended. A refresh token works once,
 * and using it again ends the login, so one tab at a time renews, and the next one finds the new access token.
 */
export const renew = (): Promise<boolean> => (renewing ??= inTurn(renewIfExpired).finally(() => (renewing = undefined)))

async function renewIfExpired(): Promise<boolean> {
  if ((await fetch('/auth/me')).ok) return true
  const response = await fetch('/auth/refresh', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ cookie: true }),
  })
  if (response.status >= 500) throw new TypeError('The login could not be renewed now.')
  if (!response.ok) return false
  keepCsrfToken(((await response.json()) as { csrfToken: string }).csrfToken)
  return true
}

/** Over plain HTTP, browsers have no locks outside of this machine, and tabs may renew at the same time. */
const inTurn = (work: () => Promise<boolean>): Promise<boolean> =>
  'locks' in navigator ? navigator.locks.request('switchyard-renewal', work) : work()
