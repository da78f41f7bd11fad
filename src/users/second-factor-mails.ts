import { consoleHome } from '../console-pages.ts'
import { notice } from './account-mails.ts'

/** Notices about an account's second factor, without secrets. */

const notYou = (baseUrl: string): string =>
  `If this wasn't you, someone who knows your password is signed in to your account. Change your password now at ${baseUrl}${consoleHome}.`

const resetNow = (baseUrl: string): string =>
  `reset your password at ${baseUrl}${consoleHome}. From a program, use POST ${baseUrl}/auth/forgot-password.`

export const passwordWasChanged = (now: Date, baseUrl: string) =>
  notice(
    'Your password was changed',
    now,
    `The password for your account at ${baseUrl} was changed by someone who knew your old password.`,
    'You have been signed out everywhere else, and all your chat sessions have ended. Your API keys are still valid.',
    `If this wasn't you, ${resetNow(baseUrl)}`,
  )

export const factorWasAdded = (now: Date, baseUrl: string) =>
  notice(
    'Signing in now requires a code',
    now,
    `An authenticator app was added to your account at ${baseUrl}. Signing in with your password now requires a code from the app.`,
    notYou(baseUrl),
  )

export const factorWasRemoved = (now: Date, baseUrl: string) =>
  notice(
    'Signing in no longer requires a code',
    now,
    `The authenticator app was removed from your account at ${baseUrl}. You can now sign in with your password alone.`,
    notYou(baseUrl),
  )

export const codesWereRenewed = (now: Date, baseUrl: string) =>
  notice(
    'You have new recovery codes',
    now,
    `New recovery codes were created for your account at ${baseUrl}.`,
    notYou(baseUrl),
  )

export const codeWasUsed = (left: number, now: Date, baseUrl: string) =>
  notice(
    'A recovery code was used',
    now,
    `A recovery code for your account at ${baseUrl} was used. You have ${left} left.`,
    `If this wasn't you, someone has your password and your recovery codes. At ${baseUrl}${consoleHome}, change your password, then create new recovery codes. From a program, use POST ${baseUrl}/auth/totp/recovery-codes.`,
  )

export const codesWereGuessed = (now: Date, baseUrl: string) =>
  notice(
    'Someone is entering wrong codes',
    now,
    `Someone who knows your password has entered too many wrong codes for your account at ${baseUrl}. For the next hour, all codes will be rejected.`,
    `If this wasn't you, ${resetNow(baseUrl)} After the reset, your codes will work again.`,
  )
