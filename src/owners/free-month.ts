import type { Transaction } from '../database/database.ts'

/**
 * Suffix of the name of a month (`granted_period`) that granted nothing, because another account of the mailbox had it.
 */
export const taken = '/taken'

/** The user has a new address, so months taken by the former mailbox no longer count. */
export async function forgetTaken(trx: Transaction, ownerId: string): Promise<void> {
  await trx('accounts').where({ ownerId }).where('grantedPeriod', 'like', `%${taken}`).update({ grantedPeriod: null })
}
