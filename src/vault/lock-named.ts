import type { Transaction } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import { VaultEntry } from './vault-entry.ts'

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
  const message = `A site of the ${by} was removed from the vault in the meantime.`
  assertThat(found.length === ids.size, 'VALIDATION_ERROR', { message, details: [{ path: 'sites', message }] })
}
