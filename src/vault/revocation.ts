import { Row } from '../database/row.ts'
import type { OAuthSite } from './oauth/oauth-client.ts'

/** A grant of an entry that was taken out of the vault, until its site knows (table `vault_revocations`). */
export class Revocation extends Row {
  static override tableName = 'vault_revocations'
  static override jsonAttributes = ['auth']
  declare id: string
  declare createdAt: Date
  /** When it is tried next; well after an attempt that is in progress. */
  declare nextAt: Date
  declare giveUpAt: Date
  declare attempts: number
  declare clientId: string
  /** Sealed: the refresh token, or the access token if there is none. */
  declare token: string
  declare auth: OAuthSite
}
