import { Row } from '../database/row.ts'

/** One sign-in of a user (table `logins`). When it ends, so do all refresh and access tokens issued from it. */
export class Login extends Row {
  static override tableName = 'logins'
  declare id: string
  declare userId: string
  declare createdAt: Date
  declare revokedAt: Date | null
}
