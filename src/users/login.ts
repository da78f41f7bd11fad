import { Row } from '../database/row.ts'

/** One sign-in of a user (table `logins`). When it ends, so do all refresh and access tokens issued from it. */
export class Login extends Row {
  static override tableName = 'logins'
  declare id: string
  declare userId: string
  declare createdAt: Date
  declare revokedAt: Date | null
  /** Accurate to a minute; null for a login from before this was noted, until it is used. */
  declare lastUsedAt: Date | null
  /** The client address from which it was opened. */
  declare address: string | null
  /** What the client called itself then. */
  declare userAgent: string | null
}
