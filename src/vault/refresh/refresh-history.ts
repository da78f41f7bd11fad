import type { Transaction } from '../../database/database.ts'
import type { VaultEntry } from '../vault-entry.ts'
import { VaultRefresh } from './vault-refresh.ts'

const kept = 200
/** Each turn counts these outcomes, so they are kept while the refresh token is in use. */
const counted = ['ambiguous', 'abandoned', 'refused'] as const

/**
 * The attempts that decide a turn, oldest first: those with the entry's current refresh token, and any open one. Two
 * lookups, each with its own index, because every refresh reads this first.
 */
export async function pastAttempts(trx: Transaction, { id: entryId, generation }: VaultEntry): Promise<VaultRefresh[]> {
  const underWay = VaultRefresh.query(trx).where({ entryId }).whereNull('endedAt').whereNot({ generation })
  const present = VaultRefresh.query(trx).where({ entryId, generation }).orderBy('id')
  return [...(await underWay), ...(await present)]
}

/** Bounds the history of an entry. Call it under the entry's lock, with the entry as stored. */
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
