import { Row } from '../database/row.ts'

/** One sign-in of a user (table `logins`): the family of refresh tokens and access tokens that came from it ends with it. */
export class Login extends Row {
  static override tableName = 'logins'
  declare id: string
  declare userId: string
  declare createdAt: Date
  declare revokedAt: Date | null
}
