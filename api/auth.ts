import * as v from 'valibot'
import { route } from './route/route.ts'
import { id, text, time } from './schemas/schemas.ts'

const ttlSeconds = v.optional(
  v.pipe(
    v.number('must be a number'),
    v.integer('must be a whole number'),
    v.minValue(1, 'must be at least 1'),
    v.maxValue(3600, 'must be at most 3600'),
    v.metadata({ description: 'Shortens the life of the access token' }),
  ),
)

const user = v.object({
  id,
  email: v.string(),
  createdAt: time,
  terms: v.object({
    currentVersion: v.string(),
    acceptedVersion: v.nullable(v.string()),
    acceptedAt: v.nullable(time),
  }),
})
const tokenPair = v.object({
  accessToken: v.string(),
  tokenType: v.literal('Bearer'),
  expiresIn: v.pipe(v.number(), v.metadata({ description: 'Seconds' })),
  refreshToken: v.pipe(v.string(), v.metadata({ description: 'Valid for one use' })),
})
const shared = { tag: 'auth', terms: false, limit: 'address' } as const

export const register = route({
  ...shared,
  name: 'register',
  method: 'post',
  path: '/auth/register',
  summary: 'Create an account',
  access: 'anyone',
  body: v.strictObject({ email: text(254), password: text(256) }),
  status: 201,
  response: user,
  codes: ['PERMISSION_DENIED'],
  handle: ({ services, body }) => services.users.register(body),
})

export const login = route({
  ...shared,
  name: 'login',
  method: 'post',
  path: '/auth/login',
  summary: 'Get an access token and a refresh token',
  access: 'anyone',
  body: v.strictObject({ email: text(254), password: text(256), ttlSeconds }),
  status: 200,
  response: tokenPair,
  codes: ['UNAUTHORIZED'],
  handle: ({ services, body }) => services.users.logins.open(body),
})

export const refresh = route({
  ...shared,
  name: 'refresh',
  method: 'post',
  path: '/auth/refresh',
  summary: 'Exchange a refresh token for a new pair',
  description: 'A refresh token is valid for one use. Reuse ends its login, because the token may have been stolen.',
  access: 'anyone',
  body: v.strictObject({ refreshToken: text(200), ttlSeconds }),
  status: 200,
  response: tokenPair,
  codes: ['INVALID_TOKEN', 'TOKEN_EXPIRED', 'TOKEN_REVOKED'],
  handle: ({ services, body }) => services.users.logins.refresh(body),
})

export const logout = route({
  ...shared,
  name: 'logout',
  method: 'post',
  path: '/auth/logout',
  summary: 'Log out',
  access: 'login',
  status: 204,
  handle: ({ services, caller }) => services.users.logins.end(caller),
})

export const logoutEverywhere = route({
  ...shared,
  name: 'logoutEverywhere',
  method: 'post',
  path: '/auth/logout-everywhere',
  summary: 'End all logins of the account',
  access: 'login',
  status: 204,
  handle: ({ services, caller }) => services.users.logins.endAll(caller),
})

export const acceptTerms = route({
  ...shared,
  name: 'acceptTerms',
  method: 'post',
  path: '/auth/accept-terms',
  summary: 'Accept the current terms',
  access: 'login',
  status: 200,
  response: user,
  handle: ({ services, caller }) => services.users.acceptTerms(caller),
})

export const me = route({
  ...shared,
  name: 'me',
  method: 'get',
  path: '/auth/me',
  summary: 'Get the account of the caller',
  access: 'account',
  limit: 'caller',
  status: 200,
  response: user,
  handle: ({ services, caller }) => services.users.me(caller),
})

export const changePassword = route({
  ...shared,
  name: 'changePassword',
  method: 'patch',
  path: '/auth/me',
  summary: 'Change the password',
  description: 'Ends all other logins of the account.',
  access: 'login',
  body: v.strictObject({ currentPassword: text(256), newPassword: text(256) }),
  status: 200,
  response: user,
  async handle({ services, caller, body }) {
    await services.users.changePassword(caller, body)
    return services.users.me(caller)
  },
})
