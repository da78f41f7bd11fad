import { Row } from '../database/row.ts'

/** One thing that the authorization server keeps (table `app_sign_in_records`). */
export class SignInRecord extends Row {
  static override tableName = 'app_sign_in_records'
  static override idColumn = ['kind', 'keyHash']
  /** The library's name of it, such as `RefreshToken`. */
  declare kind: string
  /** SHA-256 of its id, which for codes and tokens is the secret. */
  declare keyHash: string
  declare appId: string | null
  declare createdAt: Date
  declare expiresAt: Date
  declare consumedAt: Date | null
  /** JSON, without the id. */
  declare payload: string
}
