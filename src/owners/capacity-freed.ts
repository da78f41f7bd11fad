import type { Database, Transaction } from '../database/database.ts'

/** Records that an owner deleted something, so things beyond the limits of the tier may resume. */
export async function capacityFreed(db: Database | Transaction, ownerId: string, now: Date): Promise<void> {
  await db.raw(statement, { ownerId, now })
}

const statement = `
  update accounts set fitted_tier = null, look_at = :now
   where exceeds and owner_id = coalesce((select payer_id from workspaces where id = :ownerId), :ownerId)`
