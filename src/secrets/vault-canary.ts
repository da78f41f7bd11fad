import { Row } from '../database/row.ts'

/** A known text under one vault key (table `vault_canaries`); `retiredAt` is when nothing was sealed under it any more. */
export class VaultCanary extends Row {
  static override tableName = 'vault_canaries'
  static override idColumn = 'keyName'
  declare keyName: string
  declare sealed: string
  declare createdAt: Date
  declare retiredAt: Date | null
}
