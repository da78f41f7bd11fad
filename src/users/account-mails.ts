import { later } from '../clock.ts'
import { consoleHome, resetPage, verifyPage } from '../console-pages.ts'
import type { MailKind } from '../outbox/outbox-mail.ts'
import type { IssuedToken } from './account-tokens.ts'

/** A mail about an account, without its recipient. */
interface AccountMail {
  subject: string
  text: string
  expiresAt: Date
  kind: MailKind
}

/** How long a notice stays readable in the outbox, in seconds. */
const noticeSeconds = 7 * 24 * 3600

const paragraphs = (...texts: string[]): string => `${texts.join('\n\n')}\n`

const howToVerify = (token: string, baseUrl: string): string[] => [
  'To confirm that this is your email address, open this link within 24 hours:',
  `${baseUrl}${verifyPage(token)}`,
  `The link works once. From a program, send this token with POST ${baseUrl}/auth/verify-email instead:`,
  token,
]

/** To a new account's address, or again on request. */
export const verification = ({ token, expiresAt }: IssuedToken, baseUrl: string): AccountMail => ({
  subject: 'Confirm your email address',
  text: paragraphs(
    `An account at ${baseUrl} uses this email address.`,
    ...howToVerify(token, baseUrl),
    'If you did not create the account, ignore this email.',
  ),
  kind: 'verify',
  expiresAt,
})

/** To the new address of an account. */
export const newAddress = ({ token, expiresAt }: IssuedToken, baseUrl: string): AccountMail => ({
  subject: 'Confirm your new email address',
  text: paragraphs(
    `Someone asked to use this email address for an account at ${baseUrl}.`,
    ...howToVerify(token, baseUrl),
    'If you did not request this, ignore this email. The account will keep its current address.',
  ),
  kind: 'asked',
  expiresAt,
})

/** To the owner of an account with a forgotten password. */
export const passwordReset = ({ token, expiresAt }: IssuedToken, baseUrl: string): AccountMail => ({
  subject: 'Reset your password',
  text: paragraphs(
    `Someone asked to reset the password for your account at ${baseUrl}.`,
    'If this was you, open this link within one hour and choose a new password:',
    `${baseUrl}${resetPage(token)}`,
    `The link works once. From a program, send this token and the new password with POST ${baseUrl}/auth/reset-password instead:`,
    token,
    "If this wasn't you, ignore this email. Your password stays the same.",
  ),
  kind: 'reset',
  expiresAt,
})

/** A mail that reports a change and needs no response. */
export const notice = (subject: string, now: Date, ...texts: string[]): AccountMail => ({
  subject,
  text: paragraphs(...texts),
  expiresAt: later(now, noticeSeconds),
  kind: 'notice',
})

/** To the owner after a password reset. */
export const passwordWasReset = (
  { now, isFirstProof, left }: { now: Date; isFirstProof: boolean; left: readonly string[] },
  baseUrl: string,
): AccountMail =>
  notice(
    'Your password was changed',
    now,
    `The password for your account at ${baseUrl} was changed with a token that we had emailed to this address.`,
    "You have been signed out everywhere, and all your chat sessions have ended. If this wasn't you, someone else can read your email. Secure your mailbox, then reset your password again.",
    ...(isFirstProof ? [takenBack] : []),
    ...(left.length > 0
      ? [
          `The account still contains these items. Remove any that are not yours at ${baseUrl}${consoleHome}:`,
          left.join('\n'),
        ]
      : []),
  )

const takenBack =
  'This address had never been verified, so someone else may have created the account. To protect you, we paused its agents, stopped their callbacks, replaced their webhook secrets, disconnected its sites, revoked its API keys, removed its authenticator app and removed all other members from its workspaces.'

/** To the current address when someone requests a new one. */
export const changeWasAsked = (now: Date, baseUrl: string): AccountMail =>
  notice(
    'Your email address is about to change',
    now,
    `Someone who knows your password asked to change the email address of your account at ${baseUrl}.`,
    `If this wasn't you, change your password now at ${baseUrl}${consoleHome}. This also cancels the address change.`,
  )

/** To the owner of an account that is marked for deletion. */
export const accountWillBeDeleted = ({ now, dueAt }: { now: Date; dueAt: Date }, baseUrl: string): AccountMail =>
  notice(
    'Your account will be deleted',
    now,
    `Someone who knows your password asked to delete your account at ${baseUrl}. The account, its workspaces and everything in them will be deleted after ${dueAt.toISOString()}.`,
    `To keep the account, sign in at ${baseUrl}${consoleHome} before that time and restore it. Until then, you can also export everything.`,
    `From a program, sign in with POST ${baseUrl}/auth/login. Then restore the account with POST ${baseUrl}/auth/me/restore, or export everything with GET ${baseUrl}/auth/me/export.`,
    "If this wasn't you, restore the account and change your password.",
  )

/** To the owner of an account that an operator deletes. */
export const accountIsBeingClosed = ({ now, dueAt }: { now: Date; dueAt: Date }, baseUrl: string): AccountMail =>
  notice(
    'Your account will be deleted',
    now,
    `The operator of ${baseUrl} has closed your account. The account, its workspaces and everything in them will be deleted after ${dueAt.toISOString()}.`,
    'Contact the operator if you want to keep the account.',
  )

/** To the owner of a restored account. */
export const accountIsKept = (now: Date, baseUrl: string): AccountMail =>
  notice(
    'Your account has been restored',
    now,
    `Your account at ${baseUrl} has been restored. It will not be deleted.`,
    `If you had a subscription, it will not renew. To turn renewal back on, open ${baseUrl}${consoleHome}. From a program, use POST ${baseUrl}/billing/subscription.`,
  )

/** To the former address of an account. */
export const addressWasChanged = (now: Date, baseUrl: string): AccountMail =>
  notice(
    'Your email address was changed',
    now,
    `Your account at ${baseUrl} now has a different email address. This address no longer receives emails about the account.`,
    "If this wasn't you, contact the platform operator.",
  )

/** To the owner when a logged-in user has linked a sign-in provider. */
export const providerWasLinked = (provider: string, now: Date, baseUrl: string): AccountMail =>
  notice(
    'A sign-in provider was linked',
    now,
    `You can now sign in to your account at ${baseUrl} with ${provider}.`,
    `If this wasn't you, open ${baseUrl}${consoleHome} and remove the provider. Then change your password, which also signs you out everywhere else.`,
    `From a program, remove the provider with DELETE ${baseUrl}/auth/identities/{identityId}.`,
  )
