import { Row } from '../database/row.ts'
import type { Scope } from './caller.ts'

/**
 * One API key (table `api_keys`), known by its hash only. A deleted one keeps its row with `revokedAt`, so that its use is
 * answered with TOKEN_REVOKED.
 */
export class ApiKey extends Row {
  static override tableName = 'api_keys'
  declare id: string
  declare userId: string
  declare name: string
  declare keyHash: string
  declare scopes: Scope[]
  declare createdAt: Date
  declare expiresAt: Date | null
  /** Correct to a minute. */
  declare lastUsedAt: Date | null
  declare revokedAt: Date | null
}
