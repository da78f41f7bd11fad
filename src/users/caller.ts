import type { Allowance } from '../billing/allowances.ts'
import { assertThat } from '../errors.ts'
import type { Reach } from '../owners/reach.ts'

export const scopes = ['read', 'write'] as const
export type Scope = (typeof scopes)[number]

/** Who makes a request. A login has both scopes; an API key has those it was given. */
export interface Caller {
  userId: string
  email: string
  /** What the user's own account may have. */
  allowance: Allowance
  /** Whether the user has accepted the terms in force. */
  termsAccepted: boolean
  scopes: readonly Scope[]
  /** Whose things the caller may see, and in which role. */
  reach: Reach
  /** Whether the user operates the platform (`npm run admin -- make-admin`). */
  admin: boolean
  /** Whether the account is to be deleted, and can be restored still. */
  isClosing: boolean
  via: 'login' | 'api-key'
  loginId?: string
  apiKeyId?: string
}

/** Refuses callers who have not accepted the terms in force: TERMS_NOT_ACCEPTED. */
export function requireTerms(caller: Pick<Caller, 'termsAccepted'>): void {
  assertThat(caller.termsAccepted, 'TERMS_NOT_ACCEPTED')
}

/** Refuses callers whose account is to be deleted: PERMISSION_DENIED. */
export function requireKept({ isClosing }: Pick<Caller, 'isClosing'>): void {
  const message =
    'This account is scheduled for deletion. Until it is deleted, you can export it (GET /auth/me/export), restore it (POST /auth/me/restore), and export or delete its workspaces.'
  assertThat(!isClosing, 'PERMISSION_DENIED', { message })
}

/** Refuses an API key that lacks the scope: PERMISSION_DENIED. */
export function requireScope(caller: Caller, scope: Scope): void {
  assertThat(caller.scopes.includes(scope), 'PERMISSION_DENIED', {
    message: `This API key lacks the scope "${scope}".`,
  })
}

/**
 * The caller's login. PERMISSION_DENIED for an API key: a leaked key must not create more keys, change the password or
 * end its owner's logins.
 */
export function requireLogin(caller: Caller): string {
  assertThat(caller.via === 'login' && caller.loginId !== undefined, 'PERMISSION_DENIED', {
    message: 'An API key cannot manage the account. Sign in and use an access token.',
  })
  return caller.loginId
}

/** Refuses callers who do not operate the platform (ADMIN_REQUIRED), and API keys, as `requireLogin` does. */
export function requireAdmin(caller: Caller): void {
  requireLogin(caller)
  assertThat(caller.admin, 'ADMIN_REQUIRED')
}

/**
 * Refuses API keys of workspaces, and logins by the provider of one: the account of whoever has made the key, or was signed
 * in, is no business of theirs. PERMISSION_DENIED.
 */
export function requireOwnAccount({ userId, reach, via }: Caller): void {
  const made =
    'This API key belongs to a workspace. It cannot read or change the account of the user who created the key.'
  const signedIn = 'You are signed in to a workspace only. To read or change your account, sign in to the account.'
  assertThat(reach.home === userId, 'PERMISSION_DENIED', { message: via === 'login' ? signedIn : made })
}
