import type { Database } from '../database/database.ts'
import { Row } from '../database/row.ts'

/** One sign-in of a user (table `logins`). When it ends, so do all refresh and access tokens issued from it. */
export class Login extends Row {
  static override tableName = 'logins'
  declare id: string
  declare userId: string
  declare createdAt: Date
  declare revokedAt: Date | null
  /** Accurate to a minute. */
  declare lastUsedAt: Date
  /** The client's address at the start. */
  declare address: string | null
  /** The client's user agent at the start. */
  declare userAgent: string | null
  /** The provider's identity; null for a password. */
  declare identityId: string | null
  /**
   * The only workspace that it can access, through that workspace's provider; null for everything that its user can
   * access.
   */
  declare workspaceId: string | null
}

/**
 * Ends the matching logins except one. From the commit on, their tokens fail with TOKEN_REVOKED. Returns their users.
 */
export async function endLogins(
  db: Database,
  match: { identityId: string } | { workspaceId: string; userId?: string },
  { now, exceptId }: { now: Date; exceptId?: string },
): Promise<string[]> {
  const open = Login.query(db).where(match).whereNull('revokedAt').patch({ revokedAt: now })
  const ended = await (exceptId === undefined ? open : open.whereNot({ id: exceptId })).returning('userId')
  return [...new Set(ended.map(({ userId }) => userId))]
}
