import type { Database, Transaction } from '../database/database.ts'
import { payerOf } from '../owners/payer.ts'
import { Account } from './account.ts'

/** Notes that something of an owner was deleted, so that what exceeded the limits may go on. */
export async function roomMade(db: Database | Transaction, ownerId: string, now: Date): Promise<void> {
  await Account.query(db)
    .where('ownerId', payerOf(ownerId))
    .where({ exceeds: true })
    .patch({ fittedTier: null, lookAt: now })
}
