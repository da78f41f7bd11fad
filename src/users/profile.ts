import type { User } from './user.ts'

/** What a user may see of the own account. */
export interface Profile {
  id: string
  email: string
  createdAt: Date
  terms: { currentVersion: string; acceptedVersion: string | null; acceptedAt: Date | null }
}

/** What a user is shown, beside the version of the terms in force. */
export function profileOf(user: User, currentVersion: string): Profile {
  const { id, email, createdAt, termsVersion, termsAcceptedAt } = user
  const terms = { currentVersion, acceptedVersion: termsVersion, acceptedAt: termsAcceptedAt }
  return { id, email, createdAt, terms }
}
