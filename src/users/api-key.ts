import { Row } from '../database/row.ts'
import type { Scope } from './caller.ts'

/** One API key; a deleted one keeps its row with `revokedAt`, so that its use is answered with TOKEN_REVOKED. */
export class ApiKeyRow extends Row {
  static override tableName = 'api_keys'
  declare id: string
  declare userId: string
  declare name: string
  declare keyHash: string
  declare scopes: Scope[]
  declare createdAt: Date
  declare expiresAt: Date | null
  declare lastUsedAt: Date | null
  declare revokedAt: Date | null
}

/** What its owner may see of an API key; the key itself is shown once, when it is made. */
export interface ApiKey {
  id: string
  name: string
  scopes: Scope[]
  createdAt: Date
  expiresAt: Date | null
  /** Correct to a minute. */
  lastUsedAt: Date | null
}

export function presentApiKey(row: ApiKeyRow): ApiKey {
  const { id, name, scopes, createdAt, expiresAt, lastUsedAt } = row
  return { id, name, scopes, createdAt, expiresAt, lastUsedAt }
}
