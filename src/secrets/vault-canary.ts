import { Row } from '../database/row.ts'

/**
 * A known text under one vault key (table `vault_canaries`). A retired row stays: a process that still lists the key
 * would create it again, and all others would then refuse to start.
 */
export class VaultCanary extends Row {
  static override tableName = 'vault_canaries'
  static override idColumn = 'keyName'
  declare keyName: string
  declare sealed: string
  declare createdAt: Date
  declare retiredAt: Date | null
}
