import type { Context } from 'koa'
import { assertThat } from '../../src/errors.ts'
import { noteInLog } from '../../src/logger.ts'
import type { Services } from '../../src/services.ts'
import { requireLogin, type Caller } from '../../src/users/caller.ts'
import { cookieNames } from '../browser/login-cookies.ts'
import { refuseOtherPages } from './own-page.ts'
import { factsOf } from './request-facts.ts'
import type { AnyRoute } from './route.ts'

/** The header that must be sent with a cookie. */
export const csrfHeader = 'X-CSRF-Token'

const looksLikeAccessToken = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** The credential of a request: the Authorization header, or else the cookie; empty if there is neither. */
export function credentialIn(ctx: Context, baseUrl: string): { text: string; isCookie: boolean } {
  if (ctx.headers.authorization !== undefined) return { text: ctx.get('authorization'), isCookie: false }
  const token = ctx.cookies.get(cookieNames(baseUrl).access) ?? ''
  // An API key is not a login, and must not act for anyone who opens a page.
  return looksLikeAccessToken.test(token) ? { text: `Bearer ${token}`, isCookie: true } : { text: '', isCookie: false }
}

/**
 * The caller. Fails with the codes of `users.authenticate`. Also fails with PERMISSION_DENIED if a request that may
 * change something has a cookie without the login's CSRF token, because browsers send cookies for requests from any
 * page.
 */
export async function authenticate(route: AnyRoute, services: Services, ctx: Context): Promise<Caller> {
  const { baseUrl } = services.config.http
  const { text, isCookie } = credentialIn(ctx, baseUrl)
  const caller = await services.users.authenticate(text || undefined)
  ctx.state['userId'] = caller.userId
  noteInLog({ userId: caller.userId })
  if (isCookie && route.method !== 'get') requireCsrfToken(services, caller, ctx)
  return caller
}

function requireCsrfToken({ config, users }: Services, caller: Caller, ctx: Context): void {
  refuseOtherPages(factsOf(ctx).header, config.http.baseUrl)
  const isRight = users.csrf.matches(requireLogin(caller), ctx.get(csrfHeader))
  assertThat(isRight, 'PERMISSION_DENIED', {
    message: `Requests that use the cookie to change something must include the CSRF token in the ${csrfHeader} header. Get it with GET /auth/csrf.`,
  })
}
