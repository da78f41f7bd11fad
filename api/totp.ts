import * as v from 'valibot'
import { route } from './route/route.ts'
import { code, password } from './schemas/auth-schema.ts'
import { field, named, whole } from './schemas/documented.ts'
import { time } from './schemas/schemas.ts'

const shared = { tag: 'auth', access: 'login', terms: false, limit: 'address' } as const
const currentPassword = field(password, 'The password of the account')
const recoveryCodes = named(
  'RecoveryCodes',
  v.object({
    recoveryCodes: field(v.array(v.string()), 'Each is good once', ['k3ub-7yqm-4zta-2w6x']),
  }),
  'What to log in with if the authenticator app is lost; shown once',
)

export const getTotp = route({
  ...shared,
  limit: 'caller',
  name: 'getTotp',
  method: 'get',
  path: '/auth/totp',
  summary: 'Get whether logins need a code',
  status: 200,
  response: named(
    'Totp',
    v.object({
      enabledAt: field(v.nullable(time), 'Since when logins need a code of an authenticator app; null if they do not'),
      recoveryCodesLeft: field(whole, 'How many recovery codes were not used', 10),
    }),
    'The second factor of an account',
  ),
  handle: ({ services, caller }) => services.users.secondFactors.state(caller),
})

export const startTotp = route({
  ...shared,
  name: 'startTotp',
  audit: { subject: 'account' },
  method: 'post',
  path: '/auth/totp',
  summary: 'Begin to set up an authenticator app',
  description:
    'Give the app the address, as a QR code or by a link, or the secret. Nothing changes until a code is confirmed, within ' +
    'an hour. A second secret replaces the first one.',
  body: v.strictObject({ currentPassword }),
  status: 201,
  response: named(
    'TotpSecret',
    v.object({
      secret: field(v.string(), 'In base32, to be typed in', 'KROX6ND6XQWK5ETXZF6NMUVGYKWJCVCH'),
      otpauthUri: field(v.string(), 'For a QR code', 'otpauth://totp/Switchyard:ada%40example.com?secret=KROX6ND6'),
    }),
    'What an authenticator app needs; shown once',
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
  summary: 'Have logins need a code from now on',
  description:
    'Takes a first code of the authenticator app, and returns ten recovery codes. Logins that are open stay open.',
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
  summary: 'Get new recovery codes',
  description: 'All from before are void.',
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
  summary: 'Have the password be enough again',
  body: v.strictObject({ currentPassword, code }),
  status: 204,
  codes: ['NOT_FOUND'],
  handle: ({ services, caller, body, request }) => services.users.secondFactors.remove(caller, body, request.address),
})
