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
  audit: { not: 'The account records when it was created.' },
  method: 'post',
  path: '/auth/register',
  summary: 'Create an account',
  description:
    'Does not return a token: sign in next, then accept the terms. If registration requires an invitation, the operator gives you one for your address. See [Sign-in and API keys](/docs/how-to/sign-in-and-api-keys).',
  access: 'anyone',
  body: v.strictObject({
    email,
    password,
    invitation: v.optional(field(text(200), 'Invitation token, if registration requires one', 'sy_invite_an-example')),
  }),
  status: 201,
  response: account,
  codes: ['PERMISSION_DENIED', 'INVALID_TOKEN', 'TOKEN_EXPIRED'],
  handle: ({ services, body, request }) => services.users.register(body, request.address),
})

export const login = route({
  ...shared,
  name: 'login',
  audit: { not: 'Recorded in the same transaction as the change.' },
  method: 'post',
  path: '/auth/login',
  summary: 'Sign in',
  description:
    'Returns an access token and a refresh token. If the password is correct but a code is required, the `UNAUTHORIZED` error has a detail with the path `code`. Send the request again with a code. Each code works once.',
  access: 'anyone',
  body: v.strictObject({ email, password, code: v.optional(code), ttlSeconds, cookie }),
  status: 200,
  response: tokenPair,
  alternatives: orCookies,
  codes: ['UNAUTHORIZED', 'PERMISSION_DENIED'],
  async handle({ services, body: { cookie: asked, ...credentials }, request }) {
    // A page of another origin must not log the visitor in to another account.
    if (asked) refuseOtherPages(request.header, services.config.http.baseUrl)
    const from = clientOf(request)
    const tokens = await services.users.logins.open({ ...credentials, from })
    return asked ? inCookies(services, tokens, { inPlace: true }) : tokens
  },
})

export const refresh = route({
  ...shared,
  name: 'refresh',
  audit: { not: 'Each sign-in session records when it was last used.' },
  method: 'post',
  path: '/auth/refresh',
  summary: 'Refresh an access token',
  description:
    'Returns a new pair of tokens. A refresh token works once. Using it again ends the sign-in session, because the token might have been stolen.',
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
    return sent === undefined ? inCookies(services, tokens, { inPlace: true }) : tokens
  },
})

/**
 * Reads the refresh token from the cookie. A reloaded page gets its CSRF token here and cannot send one, so the
 * browser's own headers must show that the page is ours. Fails with UNAUTHORIZED or PERMISSION_DENIED.
 */
function refreshCookie(request: RequestFacts, baseUrl: string): string {
  const found = request.cookie(cookieNames(baseUrl).refresh)
  assertThat(found, 'UNAUTHORIZED', { message: 'The refresh token cookie is missing. Sign in.' })
  requireOwnPage(request.header, baseUrl)
  return found
}

/** Deletes the login cookies if the request used them, that is, if it has no Authorization header. */
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
  summary: 'Sign out',
  description: 'Ends your current sign-in session. Its access token and refresh token stop working.',
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
  summary: 'Sign out everywhere',
  description: 'Ends all your sign-in sessions, chat sessions and connected apps. API keys stay valid.',
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
  description: 'Until you accept the terms, most operations fail with `TERMS_NOT_ACCEPTED`.',
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
  summary: 'Get your account',
  description: 'Includes whether you have accepted the current terms.',
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
  summary: 'Change your password',
  description:
    'Ends all your other sign-in sessions, all chat sessions and all connected apps. Requires `code` if the account has an authenticator app.',
  access: 'login',
  body: v.strictObject({
    currentPassword: password,
    newPassword: field(password, 'New password'),
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
  summary: 'Delete your account',
  description:
    'Deletes the account and everything in it, including its workspaces, at `deletionDueAt`. Until then, you can only export or restore the account. Your other sign-in sessions and all chat sessions, connected apps, API keys, agents and workspaces stop working, and the subscription ends when the paid month does. Requires `code` if the account has an authenticator app. See [Export and deletion](/docs/how-to/export-and-deletion).',
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
  summary: 'Restore your account',
  description:
    'Cancels the deletion. Sign-in sessions and chat sessions that have ended stay ended. The subscription stays cancelled until ' +
    'you send its tier to `POST /billing/subscription`. Safe to repeat.',
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
