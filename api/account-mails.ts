import * as v from 'valibot'
import { clientOf } from './route/request-facts.ts'
import { route } from './route/route.ts'
import { code } from './schemas/auth-schema.ts'
import { field, named } from './schemas/documented.ts'
import { text } from './schemas/schemas.ts'

const shared = { tag: 'auth', terms: false, limit: 'address' } as const
const token = (example: string) => field(text(200), 'The token from the mail', example)
/** Always the same words, whether or not there is something to mail. */
const underWay = named(
  'MailUnderWay',
  v.object({ message: field(v.string(), 'What happens next, for people', 'If there is something to mail, it is.') }),
  'Mails are sent a moment later',
)

export const verifyEmail = route({
  ...shared,
  name: 'verifyEmail',
  audit: { not: 'Noted in the transaction of the change.' },
  method: 'post',
  path: '/auth/verify-email',
  summary: 'Verify an address with the token that was mailed to it',
  description:
    'A token can be used once, for 24 hours. One from `POST /auth/me/email` gives the account its new address, unless ' +
    'another account has it by then (`VALIDATION_ERROR`).',
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
  summary: 'Mail another token that verifies the address of the account',
  description:
    'It replaces the one before. At most five an hour. Nothing is mailed if the address is verified already.',
  access: 'login',
  status: 202,
  response: underWay,
  async handle({ services, caller }) {
    await services.users.addresses.sendAgain(caller)
    return { message: 'If your address is not verified yet, we have sent you an email with a token.' }
  },
})

const newPassword = field(text(256), 'The password from now on', 'a better horse battery staple')

export const forgotPassword = route({
  ...shared,
  name: 'forgotPassword',
  audit: { not: 'It changes nothing.' },
  method: 'post',
  path: '/auth/forgot-password',
  summary: 'Mail a token for a new password',
  description:
    'Always answers in the same way and as fast, so that nobody learns whether there is an account with this address. ' +
    'An address gets at most five mails an hour.',
  access: 'anyone',
  body: v.strictObject({ email: field(text(254), 'The address of the account', 'ada@example.com') }),
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
  audit: { not: 'Noted in the transaction of the change.' },
  method: 'post',
  path: '/auth/reset-password',
  summary: 'Choose a new password with the token that was mailed',
  description:
    'A token can be used once, for an hour. Ends all logins of the account, and all chat sessions, and unlinks sign-in ' +
    'providers that were linked before the account had this address. A mail names what stays: linked providers, agents ' +
    'with a `callbackUrl`, sites, API keys. The address is verified by this. If nobody had verified it before, the agents ' +
    'are paused and lose their `callbackUrl`, sites are disconnected, API keys and the authenticator app are void, and ' +
    'everybody else is removed from the workspaces.',
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
  summary: 'Ask for another address',
  description:
    'Mails a token to the new address, and a notice to the one that the account has. The address changes once the ' +
    'token is sent to `POST /auth/verify-email`. Answers in the same way if the new address is taken. At most five an ' +
    'hour. An account with an authenticator app needs `code`, too.',
  access: 'login',
  body: v.strictObject({
    newEmail: field(text(254), 'The address that the account is to have', 'ada@example.org'),
    currentPassword: field(text(256), 'The password', 'correct horse battery staple'),
    code: v.optional(code),
  }),
  status: 202,
  response: underWay,
  async handle({ services, caller, body, request }) {
    await services.users.addresses.askToChange(caller, body, request.address)
    return { message: 'We have sent an email with a token to the new address.' }
  },
})
