import type { Allowance } from '../billing/allowances.ts'
import { assertThat } from '../errors.ts'
import type { Reach } from '../owners/reach.ts'

export const scopes = ['read', 'write', 'decide'] as const
export type Scope = (typeof scopes)[number]

/** The sender of a request. A login has all scopes; an API key has those it was given. */
export interface Caller {
  userId: string
  email: string
  /** The limits and features of the user's own account. */
  allowance: Allowance
  /** Whether the user has accepted the current terms. */
  termsAccepted: boolean
  scopes: readonly Scope[]
  /** The owners that the caller can see, and the role at each. */
  reach: Reach
  /** Whether the user operates the platform (`npm run admin -- make-admin`). */
  admin: boolean
  /** Whether the account is marked for deletion and can still be restored. */
  isClosing: boolean
  via: 'login' | 'api-key' | 'app'
  loginId?: string
  apiKeyId?: string
  appId?: string
}

/** Refuses callers who have not accepted the current terms: TERMS_NOT_ACCEPTED. */
export function requireTerms(caller: Pick<Caller, 'termsAccepted'>): void {
  assertThat(caller.termsAccepted, 'TERMS_NOT_ACCEPTED')
}

/** Refuses callers whose account is marked for deletion: PERMISSION_DENIED. */
export function requireKept({ isClosing }: Pick<Caller, 'isClosing'>): void {
  const message =
    'This account is scheduled for deletion. Until it is deleted, you can export it (GET /auth/me/export), restore it (POST /auth/me/restore), and export or delete its workspaces.'
  assertThat(!isClosing, 'PERMISSION_DENIED', { message })
}

/** Refuses an API key that lacks the scope: PERMISSION_DENIED. */
export function requireScope(caller: Caller, scope: Scope): void {
  assertThat(caller.scopes.includes(scope), 'PERMISSION_DENIED', {
    message: `This API key lacks the "${scope}" scope.`,
  })
}

/**
 * The caller's login. PERMISSION_DENIED for an API key: a leaked key must not create keys, change the password or end
 * its owner's logins.
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
 * Refuses a workspace's API keys and logins through a workspace's provider: they must not touch the user's own account.
 * PERMISSION_DENIED.
 */
export function requireOwnAccount({ userId, reach, via }: Caller): void {
  const made =
    'This API key belongs to a workspace. It cannot read or change the account of the user who created the key.'
  const signedIn = 'You are signed in to a workspace only. To read or change your account, sign in to the account.'
  assertThat(reach.home === userId, 'PERMISSION_DENIED', { message: via === 'login' ? signedIn : made })
}
