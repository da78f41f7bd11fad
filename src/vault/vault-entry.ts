import { Row } from '../row.ts'
import type { Manifest } from '../sites/manifest.ts'

/** One owner's connection to one site origin, with its sealed credential (table `vault_entries`). */
export class VaultEntry extends Row {
  static override tableName = 'vault_entries'
  static override jsonAttributes = ['manifest']
  declare id: string
  declare ownerId: string
  declare origin: string
  declare name: string
  declare manifest: Manifest
  declare manifestFetchedAt: Date
  declare authType: 'bearer' | 'oauth2'
  /** Sealed; opened only to send it to the site. */
  declare credential: string
  declare createdAt: Date
  declare updatedAt: Date
}
