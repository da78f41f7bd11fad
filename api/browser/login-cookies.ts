import type { Config } from '../../src/config/config.ts'
import type { Services } from '../../src/services.ts'
import { inPlace } from '../route/route.ts'
import { isSecure, withCookies, type Cookie, type WithCookies } from './cookies.ts'

/** The only path that gets the refresh token. */
const refreshPath = '/auth/refresh'

const day = 86_400

/**
 * The names of the two cookies. Over https, browsers enforce the prefixes (RFC 6265bis, 4.1.3): `__Host-` keeps a page
 * on another subdomain from replacing the access token by its own; `__Secure-` allows a path.
 */
export function cookieNames(baseUrl: string): { access: string; refresh: string } {
  const [host, secure] = isSecure(baseUrl) ? ['__Host-', '__Secure-'] : ['', '']
  return { access: `${host}switchyard_access`, refresh: `${secure}switchyard_refresh` }
}

interface Tokens {
  accessToken: string
  refreshToken: string
}

/**
 * The cookies of a new login, for `withCookies` or as `cookies` of a BrowserAnswer. They are Strict even when another
 * site's redirect sets them: the next page shows no private content, and its own requests carry them. The access
 * token's cookie outlives the token, so that the page learns that the token has expired (TOKEN_EXPIRED).
 */
export function loginCookies(tokens: Tokens, config: Pick<Config, 'auth' | 'http'>): Cookie[] {
  const names = cookieNames(config.http.baseUrl)
  const shared = { maxAgeSeconds: config.auth.refreshTokenDays * day, sameSite: 'strict' as const }
  return [
    { ...shared, name: names.access, value: tokens.accessToken, path: '/' },
    { ...shared, name: names.refresh, value: tokens.refreshToken, path: refreshPath },
  ]
}

export const withoutLogin = ({ config }: Pick<Services, 'config'>): WithCookies =>
  withCookies(loginCookies({ accessToken: '', refreshToken: '' }, config))

/** Replaces the tokens of a login with cookies, as the usual answer of a route, or in place of it. */
export function inCookies(
  { config, users }: Pick<Services, 'config' | 'users'>,
  tokens: Tokens & { loginId: string; expiresIn: number },
  how: { inPlace: boolean },
): WithCookies {
  const content = { expiresIn: tokens.expiresIn, csrfToken: users.csrf.of(tokens.loginId) }
  return withCookies(loginCookies(tokens, config), how.inPlace ? inPlace(201, content) : content)
}
