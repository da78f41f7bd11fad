import type { Transaction } from '../database/database.ts'
import { assertThat, problemAt } from '../errors.ts'
import { Row } from '../database/row.ts'
import type { ConfirmedEffects } from '../sites/confirmed-effects.ts'
import type { DialectName } from '../sites/dialects/dialect-name.ts'
import type { Manifest } from '../sites/manifest.ts'
import type { Scope } from '../sites/tool.ts'

/** `needs_reauth`: the credential is dead, and only the owner can provide a new one. */
type EntryStatus = 'connected' | 'needs_reauth'

/** Scopes in the words of their authorization server, verbatim. */
export interface ForeignScopes {
  granted: string[]
  /** Those that the site asked for since it granted the others (RFC 6750, 3.1). */
  asked: string[]
}

/** One owner's connection to one site, with its sealed credential (table `vault_entries`). */
export class VaultEntry extends Row {
  static override tableName = 'vault_entries'
  static override jsonAttributes = ['manifest', 'confirmedEffects', 'scopes', 'foreignScopes']
  declare id: string
  declare ownerId: string
  /** How the site is spoken to. */
  declare dialect: DialectName
  /** The site's key, as its dialect gives it. */
  declare origin: string
  declare name: string
  /** The pinned manifest. `docs/sites/manifest-changes.md` says when it is replaced. */
  declare manifest: Manifest
  /** What the owner confirmed of the effects that the site only proposes. */
  declare confirmedEffects: ConfirmedEffects
  declare manifestFetchedAt: Date
  declare manifestCheckedAt: Date
  /** When its list of tools becomes stale, as the site says; null if it does not say it. */
  declare manifestStaleAt: Date | null
  /** Since when a check is wanted before the daily one; null: it is not wanted. */
  declare manifestWantedAt: Date | null
  declare authType: 'none' | 'bearer' | 'oauth2'
  declare status: EntryStatus
  /** Why the owner must reconnect the site, or, while it is connected, why the site refuses to refresh its tokens. */
  declare statusReason: string | null
  /** A sealed credential, empty for a site without sign-in. It is opened only to be sent to the site. */
  declare credential: string
  declare generation: number
  /** OAuth only: the client that holds the grant, and the granted scopes. */
  declare clientId: string | null
  declare scopes: Scope[] | null
  /** OAuth with a foreign authorization server only. `scopes` is null then, because these decide nothing here. */
  declare foreignScopes: ForeignScopes | null
  /** The site's grant as a sentence, if it allows no tool. */
  declare scopeNote: string | null
  /** When the access token expires, and when its refresh is due; null if unknown. */
  declare expiresAt: Date | null
  declare refreshAfter: Date | null
  declare renewedAt: Date
  declare lastUsedAt: Date | null
  /** When the site first accepted the current credential; null if it was not tried yet. */
  declare acceptedAt: Date | null
  declare connectedBy: string | null
  /** Whether the site gets `traceparent` with tool calls while they are traced. */
  declare traceContext: boolean
  /** Since when the entry exceeds the limit of the tier. Its tools cannot be called. */
  declare exceedingSince: Date | null
  /** When it was moved from another owner. Earlier calls are hidden from the current owner. */
  declare movedAt: Date | null
  declare createdAt: Date
  declare updatedAt: Date
}

/** What changes with the kind of sign-in. A list that is compared at this moment is compared again. */
export const signInFields = ({ manifest }: VaultEntry, auth: Manifest['auth'], now: Date): Partial<VaultEntry> => ({
  authType: auth.type,
  manifest: { ...manifest, auth },
  manifestFetchedAt: now,
})

/**
 * Locks the entries that an agent or a session will use, before rows that refer to them. A removal uses the same order,
 * so there are no deadlocks. VALIDATION_ERROR if one was removed or moved since the request was checked.
 */
export async function lockNamed(
  trx: Transaction,
  { ownerId, by }: { ownerId: string; by: 'agent' | 'session' },
  sites: readonly { vaultEntryId: string }[],
): Promise<void> {
  const ids = new Set(sites.map(({ vaultEntryId }) => vaultEntryId))
  // A weaker lock would read the owner from before a move that just committed.
  const entries = await VaultEntry.query(trx)
    .findByIds([...ids])
    .orderBy('id')
    .select('id', 'ownerId')
    .forShare()
  const found = entries.filter((entry) => entry.ownerId === ownerId)
  const message = `A site that the ${by} uses was removed from the vault during this request.`
  assertThat(found.length === ids.size, 'VALIDATION_ERROR', problemAt('sites', message))
}
