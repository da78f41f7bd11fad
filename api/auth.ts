import * as v from 'valibot'
import { cookieNames, inCookies, withoutLogin } from './browser/login-cookies.ts'
import { refuseOtherPages, requireOwnPage } from './route/own-page.ts'
import { clientOf, type RequestFacts } from './route/request-facts.ts'
import { route } from './route/route.ts'
import { assertThat } from '../src/errors.ts'
import type { Services } from '../src/services.ts'
import {
  account,
  code,
  cookie,
  email,
  orCookies,
  password,
  refreshToken,
  tokenPair,
  ttlSeconds,
} from './schemas/auth-schema.ts'
import { field } from './schemas/documented.ts'
import { text } from './schemas/schemas.ts'

const shared = { tag: 'auth', terms: false, limit: 'address' } as const

export const register = route({
  ...shared,
  name: 'register',
  audit: { not: 'The account itself says when it was made.' },
  method: 'post',
  path: '/auth/register',
  summary: 'Create an account',
  description:
    'It gives no token: log in next, and accept the terms. Where registration needs an invitation, the operator of the ' +
    'platform gives you one for your address.',
  access: 'anyone',
  body: v.strictObject({
    email,
    password,
    invitation: v.optional(field(text(200), 'The token of an invitation', 'sy_invite_an-example')),
  }),
  status: 201,
  response: account,
  codes: ['PERMISSION_DENIED', 'INVALID_TOKEN', 'TOKEN_EXPIRED'],
  handle: ({ services, body, request }) => services.users.register(body, request.address),
})

export const login = route({
  ...shared,
  name: 'login',
  audit: { not: 'Noted in the transaction of the change.' },
  method: 'post',
  path: '/auth/login',
  summary: 'Get an access token and a refresh token',
  description:
    'Every login is separate, and can be ended without the others. If the password is right and the account needs a code, ' +
    'too, `UNAUTHORIZED` has a detail with the path `code`: ask for the code, and send all again. A code is good once.',
  access: 'anyone',
  body: v.strictObject({ email, password, code: v.optional(code), ttlSeconds, cookie }),
  status: 200,
  response: tokenPair,
  alternatives: orCookies,
  codes: ['UNAUTHORIZED', 'PERMISSION_DENIED'],
  async handle({ services, body: { cookie: asked, ...credentials }, request }) {
    // Another page must not log a visitor in as somebody else.
    if (asked) refuseOtherPages(request.header, services.config.http.baseUrl)
    const from = clientOf(request)
    const tokens = await services.users.logins.open({ ...credentials, from })
    return asked ? inCookies(services, tokens) : tokens
  },
})

export const refresh = route({
  ...shared,
  name: 'refresh',
  audit: { not: 'The list of logins says when one was used last.' },
  method: 'post',
  path: '/auth/refresh',
  summary: 'Exchange a refresh token for a new pair',
  description: 'A refresh token is valid for one use. Reuse ends its login, because the token may have been stolen.',
  access: 'anyone',
  body: v.pipe(
    v.strictObject({ refreshToken: v.optional(refreshToken), ttlSeconds, cookie }),
    v.forward(
      v.check(
        ({ refreshToken: sent, cookie: asked = false }) => (sent === undefined) === asked,
        'is required unless "cookie" is true',
      ),
      ['refreshToken'],
    ),
  ),
  status: 200,
  response: tokenPair,
  alternatives: orCookies,
  codes: ['INVALID_TOKEN', 'TOKEN_EXPIRED', 'TOKEN_REVOKED', 'UNAUTHORIZED', 'PERMISSION_DENIED'],
  async handle({ services, body: { refreshToken: sent, ttlSeconds: seconds }, request }) {
    const tokens = await services.users.logins.refresh({
      refreshToken: sent ?? refreshCookie(request, services.config.http.baseUrl),
      ttlSeconds: seconds,
    })
    return sent === undefined ? inCookies(services, tokens) : tokens
  },
})

/**
 * The refresh token in the cookie. A page that was loaded again has no CSRF token yet, and gets it here; so the browser
 * has to say which page it is. UNAUTHORIZED, PERMISSION_DENIED.
 */
function refreshCookie(request: RequestFacts, baseUrl: string): string {
  const found = request.cookie(cookieNames(baseUrl).refresh)
  assertThat(found, 'UNAUTHORIZED', { message: 'The refresh token cookie is missing. Sign in.' })
  requireOwnPage(request.header, baseUrl)
  return found
}

/** Deletes the cookies of a login that came by cookie: only then there is no Authorization header. */
const forgetting = (request: RequestFacts, services: Services) =>
  request.header('authorization') === undefined ? withoutLogin(services) : undefined

export const logout = route({
  ...shared,
  name: 'logout',
  endsAccess: true,
  audit: { subject: 'login' },
  method: 'post',
  path: '/auth/logout',
  whileClosing: true,
  summary: 'Log out',
  description: 'Ends this login: its access token and its refresh token are refused from then on.',
  access: 'login',
  ofUser: false,
  status: 204,
  async handle({ services, caller, request }) {
    await services.users.logins.end(caller)
    await services.accessChanges.note()
    return forgetting(request, services)
  },
})

export const logoutEverywhere = route({
  ...shared,
  name: 'logoutEverywhere',
  endsAccess: true,
  audit: { subject: 'account' },
  method: 'post',
  path: '/auth/logout-everywhere',
  summary: 'End all logins of the account',
  description: 'Chat sessions end, too. API keys stay valid.',
  access: 'login',
  status: 204,
  async handle({ services, caller, request }) {
    await services.users.logins.endAll(caller)
    await services.accessChanges.note()
    return forgetting(request, services)
  },
})

export const acceptTerms = route({
  ...shared,
  name: 'acceptTerms',
  audit: { subject: 'account' },
  look: ({ services, caller }) => services.users.me(caller),
  method: 'post',
  path: '/auth/accept-terms',
  summary: 'Accept the current terms',
  description: 'Operations other than those of the account need this.',
  access: 'login',
  status: 200,
  response: account,
  handle: ({ services, caller }) => services.users.acceptTerms(caller),
})

export const me = route({
  ...shared,
  name: 'me',
  method: 'get',
  path: '/auth/me',
  whileClosing: true,
  summary: 'Get the account of the caller',
  description: 'Also shows whether the current terms are accepted.',
  access: 'account',
  limit: 'caller',
  status: 200,
  response: account,
  handle: ({ services, caller }) => services.users.me(caller),
})

export const changePassword = route({
  ...shared,
  name: 'changePassword',
  audit: { subject: 'account' },
  look: ({ services, caller }) => services.users.me(caller),
  method: 'patch',
  path: '/auth/me',
  summary: 'Change the password',
  description:
    'Ends all other logins of the account, and all chat sessions. An account with an authenticator app needs `code`, too.',
  access: 'login',
  body: v.strictObject({
    currentPassword: password,
    newPassword: field(password, 'The password from now on'),
    code: v.optional(code),
  }),
  status: 200,
  response: account,
  async handle({ services, caller, body, request }) {
    await services.users.changePassword(caller, body, request.address)
    await services.accessChanges.note()
    return services.users.me(caller)
  },
})

export const deleteAccount = route({
  ...shared,
  name: 'deleteAccount',
  endsAccess: true,
  audit: { subject: 'account' },
  look: ({ services, caller }) => services.users.me(caller),
  method: 'delete',
  path: '/auth/me',
  summary: 'Delete the account',
  description:
    'With everything in it, its workspaces included, once the time of `deletionDueAt` has come. Until then it can be ' +
    'restored and exported, and nothing else; its other logins and its sessions end at once, its API keys and agents ' +
    'rest, its workspaces are closed, and its subscription ends with the month that is paid. An account with an ' +
    'authenticator app needs `code`, too.',
  access: 'login',
  body: v.strictObject({ password, code: v.optional(code) }),
  status: 200,
  response: account,
  async handle({ services, caller, body, request }) {
    await services.users.closing.close(caller, body, request.address)
    await services.accessChanges.note()
    return services.users.me(caller)
  },
})

export const restoreAccount = route({
  ...shared,
  name: 'restoreAccount',
  audit: { subject: 'account' },
  look: ({ services, caller }) => services.users.me(caller),
  method: 'post',
  path: '/auth/me/restore',
  summary: 'Keep an account that is to be deleted',
  description:
    'Everything is as before; only logins and sessions that have ended stay so, and a subscription stays cancelled: ' +
    '`POST /billing/subscription` for its tier takes that back. Safe to repeat.',
  access: 'login',
  whileClosing: true,
  limit: 'caller',
  status: 200,
  response: account,
  async handle({ services, caller }) {
    await services.users.closing.restore(caller)
    return services.users.me(caller)
  },
})
