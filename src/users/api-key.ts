import { Row } from '../database/row.ts'
import type { Scope } from './caller.ts'

/**
 * One API key (table `api_keys`); only its hash is stored. A deleted key keeps its row with `revokedAt`, so that using
 * it fails with TOKEN_REVOKED.
 */
export class ApiKey extends Row {
  static override tableName = 'api_keys'
  declare id: string
  /** Who has made it. */
  declare userId: string
  /** The workspace that it is for; null for one that is for what its user has. */
  declare workspaceId: string | null
  declare name: string
  declare keyHash: string
  declare scopes: Scope[]
  declare createdAt: Date
  declare expiresAt: Date | null
  /** Accurate to a minute. */
  declare lastUsedAt: Date | null
  declare revokedAt: Date | null
  /** Since when the tier does not allow for it: it is refused. */
  declare exceedingSince: Date | null
}
