import { assertThat } from '../errors.ts'

export const scopes = ['read', 'write'] as const
export type Scope = (typeof scopes)[number]

/** Who makes a request, as established by `authenticate`. A login has both scopes; an API key has those it was given. */
export interface Caller {
  userId: string
  email: string
  /** Whether the user accepted the version of the terms that is in force now. */
  termsAccepted: boolean
  scopes: readonly Scope[]
  /** Whether the user operates the platform (ADMIN_EMAILS). */
  admin: boolean
  via: 'login' | 'api-key'
  loginId?: string
  apiKeyId?: string
}

/** Refuses callers who have not accepted the terms in force: TERMS_NOT_ACCEPTED. */
export function requireTerms(caller: Caller): void {
  assertThat(caller.termsAccepted, 'TERMS_NOT_ACCEPTED')
}

/** Refuses an API key that lacks the scope: PERMISSION_DENIED. */
export function requireScope(caller: Caller, scope: Scope): void {
  assertThat(caller.scopes.includes(scope), 'PERMISSION_DENIED', {
    message: `This API key lacks the scope "${scope}".`,
  })
}

/**
 * The login of a caller who came with an access token. API keys are PERMISSION_DENIED: a leaked key must not be able to
 * make further keys, change the password or end its owner's logins.
 */
export function requireLogin(caller: Caller): string {
  assertThat(caller.via === 'login' && caller.loginId !== undefined, 'PERMISSION_DENIED', {
    message: 'An API key cannot manage the account. Use the access token of a login.',
  })
  return caller.loginId
}

/** Refuses callers who do not operate the platform: ADMIN_REQUIRED; and their API keys, as `requireLogin` does. */
export function requireAdmin(caller: Caller): void {
  requireLogin(caller)
  assertThat(caller.admin, 'ADMIN_REQUIRED')
}
