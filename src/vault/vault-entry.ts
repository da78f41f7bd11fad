import type { Transaction } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import { Row } from '../database/row.ts'
import type { Manifest } from '../sites/manifest/manifest.ts'
import type { Scope } from '../sites/tool.ts'

/** `needs_reauth`: the credential is dead, and only the owner can provide a new one. */
type EntryStatus = 'connected' | 'needs_reauth'

/** One owner's connection to one site origin, with its sealed credential (table `vault_entries`). */
export class VaultEntry extends Row {
  static override tableName = 'vault_entries'
  static override jsonAttributes = ['manifest', 'scopes']
  declare id: string
  declare ownerId: string
  declare origin: string
  declare name: string
  /** The pinned manifest. It is replaced only as `docs/sites/manifest-changes.md` says. */
  declare manifest: Manifest
  declare manifestFetchedAt: Date
  /** When the site was last asked for its manifest. */
  declare manifestCheckedAt: Date
  declare authType: 'bearer' | 'oauth2'
  declare status: EntryStatus
  /** Why the owner has to reconnect it, or, while it is connected, why its site refuses to refresh its tokens. */
  declare statusReason: string | null
  /** Sealed; opened only to be sent to the site. The content is a credential. */
  declare credential: string
  /** Raised by every new credential. */
  declare generation: number
  /** OAuth only: the client that holds the grant, and the granted scopes. */
  declare clientId: string | null
  declare scopes: Scope[] | null
  /** What the site has granted, in a sentence, if no tool can be called with it. */
  declare scopeNote: string | null
  /** When the access token expires, and when its refresh is due; null if unknown. */
  declare expiresAt: Date | null
  declare refreshAfter: Date | null
  declare renewedAt: Date
  declare lastUsedAt: Date | null
  /** When the site first accepted the present credential; null if it has not been tried yet. */
  declare acceptedAt: Date | null
  /** The user whose credential it is; null if that is not known. */
  declare connectedBy: string | null
  /** Since when the tier does not allow for it: its tools are not called. */
  declare exceedingSince: Date | null
  /** When it came from another owner; calls before are not shown to the present one. */
  declare movedAt: Date | null
  declare createdAt: Date
  declare updatedAt: Date
}

/**
 * Locks the entries that an agent or a session is to use, before rows that refer to them, as when an entry is removed, to
 * avoid deadlocks. VALIDATION_ERROR if one was removed or moved since the request was checked.
 */
export async function lockNamed(
  trx: Transaction,
  { ownerId, by }: { ownerId: string; by: 'agent' | 'session' },
  sites: readonly { vaultEntryId: string }[],
): Promise<void> {
  const ids = new Set(sites.map(({ vaultEntryId }) => vaultEntryId))
  // A weaker lock would read the owner from before a move that has just been committed.
  const entries = await VaultEntry.query(trx)
    .findByIds([...ids])
    .orderBy('id')
    .select('id', 'ownerId')
    .forShare()
  const found = entries.filter((entry) => entry.ownerId === ownerId)
  const message = `A site that the ${by} uses was removed from the vault during this request.`
  assertThat(found.length === ids.size, 'VALIDATION_ERROR', { message, details: [{ path: 'sites', message }] })
}
