import { Row } from '../database/row.ts'
import type { Manifest } from '../sites/manifest/manifest.ts'
import type { Scope } from '../sites/tool.ts'

/** `needs_reauth`: the credential is dead, and only the owner can bring a new one. */
type EntryStatus = 'connected' | 'needs_reauth'

/** One owner's connection to one site origin, with its sealed credential (table `vault_entries`). */
export class VaultEntry extends Row {
  static override tableName = 'vault_entries'
  static override jsonAttributes = ['manifest', 'scopes']
  declare id: string
  declare ownerId: string
  declare origin: string
  declare name: string
  /** The manifest in use. A changed one takes its place only as `manifest-changes` says. */
  declare manifest: Manifest
  declare manifestFetchedAt: Date
  /** When the site was last asked whether its manifest has changed. */
  declare manifestCheckedAt: Date
  declare authType: 'bearer' | 'oauth2'
  declare status: EntryStatus
  /** Why it needs its owner, as a sentence. */
  declare statusReason: string | null
  /** Sealed; opened only to send it to the site. See `credential.ts` for what is inside. */
  declare credential: string
  /** Raised with every new credential. */
  declare generation: number
  /** OAuth only: the client that the grant was made to, and the scopes that were granted. */
  declare clientId: string | null
  declare scopes: Scope[] | null
  /** When the access token expires, and from when on it is renewed; null where nothing is known. */
  declare expiresAt: Date | null
  declare refreshAfter: Date | null
  declare renewedAt: Date
  declare lastUsedAt: Date | null
  declare createdAt: Date
  declare updatedAt: Date
}
