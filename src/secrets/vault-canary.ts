import { Row } from '../database/row.ts'

/**
 * A known text under one vault key (table `vault_canaries`). Nothing is sealed under it since `retiredAt`. It is kept then:
 * a process that still lists the key would make it again, and all that do not list it would refuse to start.
 */
export class VaultCanary extends Row {
  static override tableName = 'vault_canaries'
  static override idColumn = 'keyName'
  declare keyName: string
  declare sealed: string
  declare createdAt: Date
  declare retiredAt: Date | null
}
