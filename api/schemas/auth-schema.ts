import * as v from 'valibot'
import { field, named, whole } from './documented.ts'
import { idOf } from './example-ids.ts'
import { createdAt, text, time } from './schemas.ts'

export const ttlSeconds = v.optional(
  v.pipe(
    v.number('must be a number'),
    v.integer('must be a whole number'),
    v.minValue(1, 'must be at least 1'),
    v.maxValue(3600, 'must be at most 3600'),
    v.metadata({
      description: 'Lifetime of the access token, in seconds, if shorter than the default',
      examples: [900],
    }),
  ),
)

const terms = named(
  'Terms',
  v.object({
    currentVersion: field(v.string(), 'Current version of the terms', '2026-01'),
    acceptedVersion: field(v.nullable(v.string()), 'Last accepted version. Null if none was accepted.', '2026-01'),
    acceptedAt: field(v.nullable(time), 'When the version was accepted. Null if none was accepted.'),
  }),
  'Terms of service. Most operations require that you accept the current version.',
)
const temporalUi = named(
  'TemporalUi',
  v.object({
    run: field(
      v.string(),
      'Workflow of a run. Replace `{id}` with the id of the run.',
      'http://127.0.0.1:8233/namespaces/default/workflows/run%2F{id}',
    ),
    queue: field(
      v.string(),
      "Workflow of an agent's queue. Replace `{id}` with the id of the agent.",
      'http://127.0.0.1:8233/namespaces/default/workflows/agent%2F{id}',
    ),
    schedule: field(
      v.string(),
      'Schedule of an agent. Replace `{id}` with the id of the agent.',
      'http://127.0.0.1:8233/namespaces/default/schedules/cron%2F{id}',
    ),
  }),
  'Addresses in the Temporal web interface',
)
const address = 'Account email address'
export const account = named(
  'Account',
  v.object({
    id: idOf('user'),
    homeOwnerId: idOf(
      'user',
      'Owner of requests that name no workspace: the account, or the only workspace of a sign-in through its provider',
    ),
    email: field(v.string(), address, 'ada@example.com'),
    emailVerifiedAt: field(v.nullable(time), 'When the address was verified. Null if it has not been verified.', null),
    createdAt,
    deletionDueAt: field(
      v.nullable(time),
      'When the account will be deleted unless it is restored. Null if no deletion is scheduled.',
      null,
    ),
    terms,
    temporalUi: field(
      v.nullable(temporalUi),
      'Addresses in the Temporal web interface. Null for users who are not admins of the installation, and if `TEMPORAL_UI_URL` is not set.',
      null,
    ),
  }),
  'User account',
)
export const tokenPair = named(
  'TokenPair',
  v.object({
    accessToken: field(
      v.string(),
      'Access token, for the `Authorization: Bearer …` header',
      'eyJhbGciOiJFZERTQSJ9.an.example',
    ),
    tokenType: field(v.literal('Bearer'), 'Authentication scheme of the access token'),
    expiresIn: field(whole, 'Lifetime of the access token, in seconds', 900),
    refreshToken: field(v.string(), 'Refresh token, valid once', 'sy_refresh_an-example'),
  }),
  'Tokens from a sign-in',
)
export const cookieLogin = named(
  'CookieLogin',
  v.object({
    expiresIn: field(whole, 'Lifetime of the access token, in seconds', 900),
    csrfToken: field(
      v.string(),
      'CSRF token, for the `X-CSRF-Token` header of every request except GET requests',
      'sy_csrf_an-example',
    ),
  }),
  'Sign-in with cookies',
)
/** Replaces the usual response if the request has `cookie`. */
export const orCookies = {
  201: { description: 'If `cookie` is true, the tokens are in cookies.', response: cookieLogin },
}
export const cookie = v.optional(
  field(
    v.boolean(),
    "Whether to return the tokens in cookies that scripts cannot read. Intended for the platform's own pages.",
    true,
  ),
)
export const email = field(text(254), address, 'ada@example.com')
export const password = field(text(256), 'Account password', 'correct horse battery')
export const refreshToken = field(text(200), 'Latest refresh token', 'sy_refresh_an-example')
export const code = field(text(64), 'Six digits from the authenticator app, or a recovery code', '492039')
