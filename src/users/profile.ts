import type { TemporalUiAddresses } from '../temporal/ui-addresses.ts'
import type { User } from './user.ts'

/** A user's account, as the user sees it. */
export interface Profile {
  id: string
  /** The owner of requests that name none: the account, or the workspace to which the login is restricted. */
  homeOwnerId: string
  email: string
  emailVerifiedAt: Date | null
  createdAt: Date
  /** When it will be deleted; null if it will not. */
  deletionDueAt: Date | null
  terms: { currentVersion: string; acceptedVersion: string | null; acceptedAt: Date | null }
  /** null for users who do not operate the platform. */
  temporalUi: TemporalUiAddresses | null
}

export function profileOf(user: User, currentVersion: string, deletionDueAt?: Date, homeOwnerId = user.id): Profile {
  const { id, email, emailVerifiedAt, createdAt, termsVersion, termsAcceptedAt } = user
  const terms = { currentVersion, acceptedVersion: termsVersion, acceptedAt: termsAcceptedAt }
  const times = { emailVerifiedAt, createdAt, deletionDueAt: deletionDueAt ?? null }
  return { id, homeOwnerId, email, ...times, terms, temporalUi: null }
}
