import { later } from '../clock.ts'
import type { MailKind } from '../outbox/outbox-mail.ts'
import type { IssuedToken } from './account-tokens.ts'

/** A mail about an account, but for the address that it is for. */
interface AccountMail {
  subject: string
  text: string
  expiresAt: Date
  kind: MailKind
}

/** How long a notice can be read where it is kept, in seconds. */
const noticeSeconds = 7 * 24 * 3600

const paragraphs = (...texts: string[]): string => `${texts.join('\n\n')}\n`

const howToVerify = (baseUrl: string) =>
  `To confirm that you read mails to this address, send the token below to POST ${baseUrl}/auth/verify-email within 24 hours. It can be used once.`

/** To a new account's address, or again on request. */
export const verification = ({ token, expiresAt }: IssuedToken, baseUrl: string): AccountMail => ({
  subject: 'Confirm your address',
  text: paragraphs(
    `There is an account with this address at ${baseUrl}.`,
    howToVerify(baseUrl),
    token,
    'If you did not make the account, do nothing.',
  ),
  kind: 'verify',
  expiresAt,
})

/** To the address that an account is to have. */
export const newAddress = ({ token, expiresAt }: IssuedToken, baseUrl: string): AccountMail => ({
  subject: 'Confirm your new address',
  text: paragraphs(
    `An account at ${baseUrl} is to have this address.`,
    howToVerify(baseUrl),
    token,
    'If you did not ask for this, do nothing: the account keeps its address.',
  ),
  kind: 'asked',
  expiresAt,
})

/** To the owner of an account whose password is forgotten. */
export const passwordReset = ({ token, expiresAt }: IssuedToken, baseUrl: string): AccountMail => ({
  subject: 'Choose a new password',
  text: paragraphs(
    `Somebody asked for a new password for your account at ${baseUrl}.`,
    `If it was you, send the token below and the new password to POST ${baseUrl}/auth/reset-password within an hour. The token can be used once.`,
    token,
    'If it was not you, do nothing: your password stays as it is.',
  ),
  kind: 'reset',
  expiresAt,
})

/** A mail that only tells of something. */
export const notice = (subject: string, now: Date, ...texts: string[]): AccountMail => ({
  subject,
  text: paragraphs(...texts),
  expiresAt: later(now, noticeSeconds),
  kind: 'notice',
})

/** To the owner once the password was reset. */
export const passwordWasReset = (
  { now, isFirstProof, left }: { now: Date; isFirstProof: boolean; left: readonly string[] },
  baseUrl: string,
): AccountMail =>
  notice(
    'Your password was changed',
    now,
    `The password of your account at ${baseUrl} was changed with a token that was mailed to this address.`,
    'All logins and chat sessions have ended. If it was not you, somebody else reads your mail: secure your mailbox, then ask for a new password.',
    ...(isFirstProof ? [takenBack] : []),
    ...(left.length > 0 ? ['This is still in the account. Remove what is not yours:', left.join('\n')] : []),
  )

const takenBack =
  'Nobody had verified this address before, so whoever made the account may not have been you. Its agents are paused, post nothing any more and have new webhook secrets, its sites are disconnected, its API keys and its authenticator app are void, and everybody else was removed from its workspaces.'

/** To the address that an account still has, when somebody asks for another one. */
export const changeWasAsked = (now: Date, baseUrl: string): AccountMail =>
  notice(
    'Your address is to be changed',
    now,
    `Somebody who knows your password asked to give your account at ${baseUrl} another address.`,
    'If it was not you, change your password now. That also stops the change of address.',
  )

/** To the owner of an account that is to be deleted. */
export const accountWillBeDeleted = ({ now, dueAt }: { now: Date; dueAt: Date }, baseUrl: string): AccountMail =>
  notice(
    'Your account will be deleted',
    now,
    `Somebody who knows your password asked to delete your account at ${baseUrl}. It will be deleted with everything in it, its workspaces included, after ${dueAt.toISOString()}.`,
    `To keep it, log in with POST ${baseUrl}/auth/login before that time, and send POST ${baseUrl}/auth/me/restore. Until then you can also export everything with GET ${baseUrl}/auth/me/export.`,
    'If it was not you, restore the account and change your password.',
  )

/** To the owner of an account that an operator deletes. */
export const accountIsBeingClosed = ({ now, dueAt }: { now: Date; dueAt: Date }, baseUrl: string): AccountMail =>
  notice(
    'Your account will be deleted',
    now,
    `The operator of ${baseUrl} has closed your account. It will be deleted with everything in it, its workspaces included, after ${dueAt.toISOString()}.`,
    'Ask the operator if you want to keep it.',
  )

/** To the owner of an account that was to be deleted. */
export const accountIsKept = (now: Date, baseUrl: string): AccountMail =>
  notice(
    'Your account is kept',
    now,
    `Your account at ${baseUrl} was restored. It will not be deleted.`,
    `If it had a subscription, that does not renew any more. POST ${baseUrl}/billing/subscription takes that back.`,
  )

/** To the address that an account had. */
export const addressWasChanged = (now: Date, baseUrl: string): AccountMail =>
  notice(
    'Your address was changed',
    now,
    `Your account at ${baseUrl} has another address now. Mails about it no longer come here.`,
    'If it was not you, ask the operator of the platform for help.',
  )

/** To the owner of an account, once somebody who was logged in has linked a sign-in provider. */
export const providerWasLinked = (provider: string, now: Date, baseUrl: string): AccountMail =>
  notice(
    'A sign-in provider was linked',
    now,
    `Your account at ${baseUrl} can be signed in to through ${provider} now.`,
    'If it was not you, remove it with DELETE /auth/identities, end the other logins, and change your password.',
  )
