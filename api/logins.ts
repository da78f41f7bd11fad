import * as v from 'valibot'
import { requireLogin } from '../src/users/caller.ts'
import { route } from './route/route.ts'
import { field, named } from './schemas/documented.ts'
import { id, pageOf, paging, time } from './schemas/schemas.ts'

const login = named(
  'Login',
  v.object({
    id,
    createdAt: time,
    lastUsedAt: field(time, 'When its access token was last used, to a minute'),
    address: field(v.nullable(v.string()), 'The client address from which it was opened', '203.0.113.7'),
    userAgent: field(v.nullable(v.string()), 'What the client called itself then', 'Mozilla/5.0'),
    workspaceId: field(
      v.nullable(id),
      'The only workspace that it reaches, if its sign-in provider has opened it; else null',
      null,
    ),
    current: field(v.boolean(), 'Whether it is the login of this request'),
  }),
  'A login',
)

const shared = { tag: 'auth', access: 'login', terms: false, limit: 'caller' } as const

export const readCsrfToken = route({
  ...shared,
  name: 'readCsrfToken',
  whileClosing: true,
  method: 'get',
  path: '/auth/csrf',
  ofUser: false,
  summary: 'Get the CSRF token of this login',
  description: 'For a page that was loaded again, and whose login is in a cookie.',
  status: 200,
  response: named(
    'CsrfToken',
    v.object({
      csrfToken: field(v.string(), 'Send it in `X-CSRF-Token` with whatever is no GET', 'sy_csrf_an-example'),
    }),
    'The token that shows that a request comes from a page of the platform',
  ),
  handle: async ({ services, caller }) => ({ csrfToken: services.users.csrf.of(requireLogin(caller)) }),
})

export const listLogins = route({
  ...shared,
  name: 'listLogins',
  method: 'get',
  path: '/auth/logins',
  summary: 'List the logins of the account',
  description: 'Newest first, without those that have ended or were not used for too long.',
  query: v.strictObject(paging),
  status: 200,
  response: pageOf(login),
  handle: ({ services, caller, query }) => services.users.loginList.list(caller, query),
})

export const endLogin = route({
  ...shared,
  name: 'endLogin',
  endsAccess: true,
  audit: { subject: 'login' },
  method: 'delete',
  path: '/auth/logins/{loginId}',
  summary: 'End a login',
  description: 'Its access token and its refresh token are refused from then on. It may be the one of this request.',
  status: 204,
  codes: ['NOT_FOUND'],
  async handle({ services, caller, params }) {
    await services.users.loginList.end(caller, params.loginId)
    await services.accessChanges.note()
  },
})
