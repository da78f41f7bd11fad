import * as v from 'valibot'
import { clientOf } from './route/request-facts.ts'
import { route } from './route/route.ts'
import { code } from './schemas/auth-schema.ts'
import { field, named } from './schemas/documented.ts'
import { text } from './schemas/schemas.ts'

const shared = { tag: 'auth', terms: false, limit: 'address' } as const
const token = (example: string) => field(text(200), 'Token from the email', example)
/** The text never depends on whether an email is sent. */
const underWay = named(
  'MailUnderWay',
  v.object({
    message: field(
      v.string(),
      'Human-readable description of what happens next',
      'If an account has this address, we have sent it an email with a token.',
    ),
  }),
  'Response to a request for an email, which is sent shortly afterward',
)

export const verifyEmail = route({
  ...shared,
  name: 'verifyEmail',
  audit: { not: 'Recorded in the same transaction as the change.' },
  method: 'post',
  path: '/auth/verify-email',
  summary: 'Verify an email address',
  description:
    'Takes the token from the verification email. The token works once and expires after 24 hours. A token from `POST /auth/me/email` also changes the address, unless another account is already using the new address (`VALIDATION_ERROR`).',
  access: 'anyone',
  body: v.strictObject({ token: token('sy_verify_an-example') }),
  status: 204,
  codes: ['INVALID_TOKEN', 'TOKEN_EXPIRED', 'PERMISSION_DENIED'],
  handle: ({ services, body, request }) => services.users.addresses.verify(body.token, clientOf(request)),
})

export const sendVerification = route({
  ...shared,
  name: 'sendVerification',
  audit: { not: 'It changes nothing.' },
  method: 'post',
  path: '/auth/verify-email/send',
  summary: 'Resend the verification email',
  description:
    'The new token replaces the previous one. You can request up to five of these emails per hour. Nothing is sent if the address is already verified.',
  access: 'login',
  status: 202,
  response: underWay,
  async handle({ services, caller }) {
    await services.users.addresses.sendAgain(caller)
    return { message: 'If your address is not verified yet, we have sent you an email with a token.' }
  },
})

const newPassword = field(text(256), 'New password', 'a better horse battery')

export const forgotPassword = route({
  ...shared,
  name: 'forgotPassword',
  audit: { not: 'It changes nothing.' },
  method: 'post',
  path: '/auth/forgot-password',
  summary: 'Email a password reset token',
  description:
    'The response is the same whether or not an account has this address. An address receives at most five of these emails per hour.',
  access: 'anyone',
  body: v.strictObject({ email: field(text(254), 'Account email address', 'ada@example.com') }),
  status: 202,
  response: underWay,
  async handle({ services, body, request }) {
    await services.users.recovery.ask(body.email, request.address)
    return { message: 'If an account has this address, we have sent it an email with a token.' }
  },
})

export const resetPassword = route({
  ...shared,
  name: 'resetPassword',
  audit: { not: 'Recorded in the same transaction as the change.' },
  method: 'post',
  path: '/auth/reset-password',
  summary: 'Reset your password',
  description:
    'Takes the token from the reset email. The token works once and expires after an hour. Ends all sign-in sessions and chat sessions, verifies the address, and unlinks sign-in providers that were linked before the account had this address. If the address had never been verified, this also pauses the agents and removes their `callbackUrl`, disconnects sites, revokes API keys, removes the authenticator app, and removes all other members from the workspaces. You receive an email that lists what can still access the account.',
  access: 'anyone',
  body: v.strictObject({ token: token('sy_reset_an-example'), newPassword }),
  status: 204,
  codes: ['INVALID_TOKEN', 'TOKEN_EXPIRED', 'PERMISSION_DENIED'],
  async handle({ services, body, request }) {
    await services.users.recovery.reset(body, clientOf(request))
    await services.accessChanges.note()
  },
})

export const changeEmail = route({
  ...shared,
  name: 'changeEmail',
  audit: { subject: 'account' },
  method: 'post',
  path: '/auth/me/email',
  summary: 'Change your email address',
  description:
    'Emails a token to the new address (at most five per hour) and a notice to the current one. The address changes when you send the token to `POST /auth/verify-email`. The response is the same even if another account has the new address. Requires `code` if the account has an authenticator app.',
  access: 'login',
  body: v.strictObject({
    newEmail: field(text(254), 'New email address', 'ada@example.org'),
    currentPassword: field(text(256), 'Current password', 'correct horse battery'),
    code: v.optional(code),
  }),
  status: 202,
  response: underWay,
  async handle({ services, caller, body, request }) {
    await services.users.addresses.askToChange(caller, body, request.address)
    return { message: 'We have sent an email with a token to the new address.' }
  },
})
