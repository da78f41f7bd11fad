import { notice } from './account-mails.ts'

/** Notices to the owner of an account about what protects it. They hold no secrets. */

const notYou = 'If it was not you, somebody knows your password and is logged in: change the password now.'

export const passwordWasChanged = (now: Date, baseUrl: string) =>
  notice(
    'Your password was changed',
    now,
    `The password of your account at ${baseUrl} was changed by a login that knew the former one.`,
    'All other logins and all chat sessions have ended; API keys are still valid. If it was not you, ask for a new password with POST /auth/forgot-password.',
  )

export const factorWasAdded = (now: Date, baseUrl: string) =>
  notice(
    'Logging in needs a code now',
    now,
    `An authenticator app was set up for your account at ${baseUrl}. Logging in with the password needs a code from it.`,
    notYou,
  )

export const factorWasRemoved = (now: Date, baseUrl: string) =>
  notice(
    'Logging in needs no code any more',
    now,
    `The authenticator app was removed from your account at ${baseUrl}. The password is enough to log in.`,
    notYou,
  )

export const codesWereRenewed = (now: Date, baseUrl: string) =>
  notice('You have new recovery codes', now, `Your account at ${baseUrl} has new recovery codes.`, notYou)

export const codeWasUsed = (left: number, now: Date, baseUrl: string) =>
  notice(
    'A recovery code was used',
    now,
    `A recovery code of your account at ${baseUrl} was used. ${left} are left.`,
    'If it was not you, somebody has your password and your recovery codes: change the password, and make new codes with POST /auth/totp/recovery-codes.',
  )

export const codesWereGuessed = (now: Date, baseUrl: string) =>
  notice(
    'Somebody enters wrong codes',
    now,
    `Somebody who knows the password of your account at ${baseUrl} has entered many wrong codes. None is accepted for an hour.`,
    'If it was not you, choose another password: it also ends the wait.',
  )
