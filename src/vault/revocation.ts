import { Row } from '../database/row.ts'
import type { DialectName } from '../sites/dialects/dialect-name.ts'
import type { OAuthSite } from '../sites/manifest.ts'

/** A removed entry's grant, until its site confirms the revocation (table `vault_revocations`). */
export class Revocation extends Row {
  static override tableName = 'vault_revocations'
  static override jsonAttributes = ['auth']
  declare id: string
  declare createdAt: Date
  /** The time of the next attempt, well after the end of any current attempt. */
  declare nextAt: Date
  declare giveUpAt: Date
  declare attempts: number
  declare dialect: DialectName
  declare clientId: string
  /** Sealed; null for a public client. */
  declare clientSecret: string | null
  /** Sealed: the refresh token, or the access token if there is none. */
  declare token: string
  declare auth: OAuthSite
}
