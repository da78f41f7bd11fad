import * as v from 'valibot'
import { route } from './route/route.ts'
import { code, password } from './schemas/auth-schema.ts'
import { field, named, whole } from './schemas/documented.ts'
import { time } from './schemas/schemas.ts'

const shared = { tag: 'auth', access: 'login', terms: false, limit: 'address' } as const
const currentPassword = field(password, 'Account password')
const recoveryCodes = named(
  'RecoveryCodes',
  v.object({
    recoveryCodes: field(v.array(v.string()), 'Recovery codes. Each works once.', ['k3ub-7yqm-4zta-2w6x']),
  }),
  'Codes for signing in without the authenticator app, shown only once',
)

export const getTotp = route({
  ...shared,
  limit: 'caller',
  name: 'getTotp',
  method: 'get',
  path: '/auth/totp',
  summary: 'Get two-factor authentication status',
  description: 'Shows whether signing in requires a code, and how many recovery codes are left.',
  status: 200,
  response: named(
    'Totp',
    v.object({
      enabledAt: field(v.nullable(time), 'When two-factor authentication was turned on. Null if it is off.'),
      recoveryCodesLeft: field(whole, 'Number of unused recovery codes', 10),
    }),
    'Two-factor authentication for an account',
  ),
  handle: ({ services, caller }) => services.users.secondFactors.state(caller),
})

export const startTotp = route({
  ...shared,
  name: 'startTotp',
  audit: { subject: 'account' },
  method: 'post',
  path: '/auth/totp',
  summary: 'Start setting up an authenticator app',
  description:
    'Enter `secret` in the app, or show `otpauthUri` as a QR code. Nothing changes until you confirm with a code, which you must do within an hour. A new secret replaces the previous one.',
  body: v.strictObject({ currentPassword }),
  status: 201,
  response: named(
    'TotpSecret',
    v.object({
      secret: field(v.string(), 'Secret in base32, for manual entry', 'KROX6ND6XQWK5ETXZF6NMUVGYKWJCVCH'),
      otpauthUri: field(v.string(), 'URI for a QR code', 'otpauth://totp/Switchyard:ada%40example.com?secret=KROX6ND6'),
    }),
    'Data that an authenticator app needs, shown only once',
  ),
  handle: ({ services, caller, body, request }) =>
    services.users.secondFactors.start(caller, body.currentPassword, request.address),
})

export const confirmTotp = route({
  ...shared,
  name: 'confirmTotp',
  audit: { subject: 'account' },
  method: 'post',
  path: '/auth/totp/confirm',
  summary: 'Turn on two-factor authentication',
  description:
    'Takes a code from the authenticator app and returns ten recovery codes. From then on, signing in requires a code. Existing sign-in sessions stay valid.',
  body: v.strictObject({ code }),
  status: 200,
  response: recoveryCodes,
  codes: ['NOT_FOUND'],
  handle: async ({ services, caller, body }) => ({
    recoveryCodes: await services.users.secondFactors.confirm(caller, body.code),
  }),
})

export const renewRecoveryCodes = route({
  ...shared,
  name: 'renewRecoveryCodes',
  audit: { subject: 'account' },
  method: 'post',
  path: '/auth/totp/recovery-codes',
  summary: 'Replace the recovery codes',
  description: 'The previous codes stop working.',
  body: v.strictObject({ currentPassword, code }),
  status: 200,
  response: recoveryCodes,
  codes: ['NOT_FOUND'],
  handle: async ({ services, caller, body, request }) => ({
    recoveryCodes: await services.users.secondFactors.renewCodes(caller, body, request.address),
  }),
})

export const removeTotp = route({
  ...shared,
  name: 'removeTotp',
  audit: { subject: 'account' },
  method: 'delete',
  path: '/auth/totp',
  summary: 'Turn off two-factor authentication',
  description: 'You can then sign in with your password alone.',
  body: v.strictObject({ currentPassword, code }),
  status: 204,
  codes: ['NOT_FOUND'],
  handle: ({ services, caller, body, request }) => services.users.secondFactors.remove(caller, body, request.address),
})
