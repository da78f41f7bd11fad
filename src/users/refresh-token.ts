import { Row } from '../database/row.ts'

/** One refresh token of a login (table `refresh_tokens`). Used ones are kept until they expire, to detect reuse. */
export class RefreshToken extends Row {
  static override tableName = 'refresh_tokens'
  declare id: string
  declare loginId: string
  declare tokenHash: string
  declare createdAt: Date
  declare expiresAt: Date
  declare consumedAt: Date | null
}
