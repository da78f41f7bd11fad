import * as v from 'valibot'
import { requireLogin } from '../src/users/caller.ts'
import { route } from './route/route.ts'
import { field, named } from './schemas/documented.ts'
import { idOf } from './schemas/example-ids.ts'
import { id, pageOf, paging, time } from './schemas/schemas.ts'

const login = named(
  'Login',
  v.object({
    id: idOf('login'),
    createdAt: time,
    lastUsedAt: field(time, "When the session's access token was last used, to the minute"),
    address: field(v.nullable(v.string()), 'IP address of the client at sign-in', '203.0.113.7'),
    userAgent: field(v.nullable(v.string()), '`User-Agent` of the client at sign-in', 'Mozilla/5.0'),
    workspaceId: field(
      v.nullable(id),
      "The only workspace that the session can access, if the user signed in with that workspace's sign-in provider",
      null,
    ),
    current: field(v.boolean(), 'Whether this request uses the session'),
  }),
  'Login',
)

const shared = { tag: 'auth', access: 'login', terms: false, limit: 'caller' } as const

export const readCsrfToken = route({
  ...shared,
  name: 'readCsrfToken',
  whileClosing: true,
  method: 'get',
  path: '/auth/csrf',
  ofUser: false,
  summary: 'Get the CSRF token',
  description: 'For pages that use cookies for sign-in and lose the CSRF token when they are reloaded.',
  status: 200,
  response: named(
    'CsrfToken',
    v.object({
      csrfToken: field(
        v.string(),
        'Send this token as `X-CSRF-Token` with every request except GET',
        'sy_csrf_an-example',
      ),
    }),
    "Token that proves that a request comes from one of the platform's pages",
  ),
  handle: async ({ services, caller }) => ({ csrfToken: services.users.csrf.of(requireLogin(caller)) }),
})

export const listLogins = route({
  ...shared,
  name: 'listLogins',
  method: 'get',
  path: '/auth/logins',
  summary: 'List sign-in sessions',
  description: 'Newest first, without sessions that have ended or expired.',
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
  summary: 'End a sign-in session',
  description: "The session's access token and refresh token stop working. You can also end your current session.",
  status: 204,
  codes: ['NOT_FOUND'],
  async handle({ services, caller, params }) {
    await services.users.loginList.end(caller, params.loginId)
    await services.accessChanges.note()
  },
})
