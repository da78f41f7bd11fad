import type { Transaction } from '../../database/database.ts'
import type { VaultEntry } from '../vault-entry.ts'
import { VaultRefresh } from './vault-refresh.ts'

/** How many attempts to refresh an entry are kept for its owner to look at. */
const kept = 200
/** What the rule of refreshing counts: as long as the refresh token is in use it must not be forgotten. */
const counted = ['ambiguous', 'abandoned', 'refused'] as const

/**
 * What the rule of refreshing judges by, oldest first: the attempts with the entry's present refresh token, and whichever
 * has not ended. Two lookups, each with an index of its own, because this is read whenever tokens are wanted.
 */
export async function pastAttempts(trx: Transaction, { id: entryId, generation }: VaultEntry): Promise<VaultRefresh[]> {
  const underWay = VaultRefresh.query(trx).where({ entryId }).whereNull('endedAt').whereNot({ generation })
  const present = VaultRefresh.query(trx).where({ entryId, generation }).orderBy('id')
  return [...(await underWay), ...(await present)]
}

/** Keeps the history of an entry bounded; to be called under the entry's lock, with the entry as it is stored. */
export async function forgetOldAttempts(trx: Transaction, { id: entryId, generation }: VaultEntry): Promise<void> {
  const oldestKept = await VaultRefresh.query(trx)
    .where({ entryId })
    .orderBy('id', 'desc')
    .offset(kept - 1)
    .limit(1)
    .first()
  if (!oldestKept) return
  await VaultRefresh.query(trx)
    .delete()
    .where({ entryId })
    .where('id', '<', oldestKept.id)
    .whereNotNull('endedAt')
    .whereNot((query) => void query.where({ generation }).whereIn('outcome', counted))
}
