import type { Transaction } from '../database/database.ts'

/** Ends the name of a month (`granted_period`) of which an account has had nothing, because another of its mailbox has. */
export const taken = '/taken'

/** The user has another address: what accounts of the former mailbox have had says nothing any more. */
export async function forgetTaken(trx: Transaction, ownerId: string): Promise<void> {
  await trx('accounts').where({ ownerId }).where('grantedPeriod', 'like', `%${taken}`).update({ grantedPeriod: null })
}
