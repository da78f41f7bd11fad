import { Row } from '../database/row.ts'
import type { Scope } from './caller.ts'

/**
 * One API key (table `api_keys`). Only its hash is stored. A deleted key keeps its row with `revokedAt`, so its use
 * fails with TOKEN_REVOKED.
 */
export class ApiKey extends Row {
  static override tableName = 'api_keys'
  declare id: string
  /** The key's creator. */
  declare userId: string
  /** The key's workspace; null for the creator's own things. */
  declare workspaceId: string | null
  declare name: string
  declare keyHash: string
  declare scopes: Scope[]
  declare createdAt: Date
  declare expiresAt: Date | null
  /** Accurate to a minute. */
  declare lastUsedAt: Date | null
  declare revokedAt: Date | null
  /** Since when the key exceeds the tier's limit and is refused. */
  declare exceedingSince: Date | null
}
