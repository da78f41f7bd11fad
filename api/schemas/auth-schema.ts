import * as v from 'valibot'
import { field, named, whole } from './documented.ts'
import { id, text, time } from './schemas.ts'

export const ttlSeconds = v.optional(
  v.pipe(
    v.number('must be a number'),
    v.integer('must be a whole number'),
    v.minValue(1, 'must be at least 1'),
    v.maxValue(3600, 'must be at most 3600'),
    v.metadata({ description: 'Shortens the life of the access token', examples: [900] }),
  ),
)

const terms = named(
  'Terms',
  v.object({
    currentVersion: field(v.string(), 'The version in force', '2026-01'),
    acceptedVersion: field(v.nullable(v.string()), 'The version that was accepted last', '2026-01'),
    acceptedAt: field(v.nullable(time), 'When it was accepted'),
  }),
  'Whether the terms in force are accepted; most operations need that',
)
const address = 'The address of the account'
export const account = named(
  'Account',
  v.object({
    id,
    email: field(v.string(), address, 'ada@example.com'),
    emailVerifiedAt: field(v.nullable(time), 'When the address was verified, by a token that was mailed to it', null),
    createdAt: time,
    terms,
  }),
  'An account',
)
export const tokenPair = named(
  'TokenPair',
  v.object({
    accessToken: field(v.string(), 'Send it as `Authorization: Bearer …`', 'eyJhbGciOiJFZERTQSJ9.an.example'),
    tokenType: field(v.literal('Bearer'), 'How to send it'),
    expiresIn: field(whole, 'Seconds for which the access token is valid', 900),
    refreshToken: field(v.string(), 'Valid for one use', 'sy_refresh_an-example'),
  }),
  'What a login gives',
)
const cookieLogin = named(
  'CookieLogin',
  v.object({
    expiresIn: field(whole, 'Seconds for which the access token is valid', 900),
    csrfToken: field(v.string(), 'Send it in `X-CSRF-Token` with whatever is no GET', 'sy_csrf_an-example'),
  }),
  'What a login in a browser gives, besides its cookies',
)
/** In place of the usual answer if the request says `cookie`. */
export const orCookies = { 201: { description: 'With `cookie`: the tokens are in cookies.', response: cookieLogin } }
export const cookie = v.optional(
  field(v.boolean(), 'For pages of the platform: puts the tokens into cookies that no script can read', true),
)
export const email = field(text(254), address, 'ada@example.com')
export const password = field(text(256), 'The password', 'correct horse battery staple')
export const refreshToken = field(text(200), 'The refresh token of the pair before', 'sy_refresh_an-example')
export const code = field(text(64), 'Six digits of the authenticator app, or a recovery code', '492039')
