import type { User } from './user.ts'

/** A user's account, as the user sees it. */
export interface Profile {
  id: string
  email: string
  emailVerifiedAt: Date | null
  createdAt: Date
  /** When it will be deleted; null if it will not. */
  deletionDueAt: Date | null
  terms: { currentVersion: string; acceptedVersion: string | null; acceptedAt: Date | null }
}

export function profileOf(user: User, currentVersion: string, deletionDueAt: Date | null): Profile {
  const { id, email, emailVerifiedAt, createdAt, termsVersion, termsAcceptedAt } = user
  const terms = { currentVersion, acceptedVersion: termsVersion, acceptedAt: termsAcceptedAt }
  return { id, email, emailVerifiedAt, createdAt, deletionDueAt, terms }
}
