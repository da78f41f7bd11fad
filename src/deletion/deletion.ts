import type { Transaction } from '../database/database.ts'
import { Row } from '../database/row.ts'

/** The deletion of an owner, pending or done (table `deletions`). Accounts without a row are not affected. */
export class Deletion extends Row {
  static override tableName = 'deletions'
  static override idColumn = 'ownerId'
  declare ownerId: string
  declare requestedAt: Date
  /** An account can be restored until this time. */
  declare dueAt: Date
  /** When the next round handles it. */
  declare nextAt: Date
  /** From this time on, nobody can restore the account. */
  declare begunAt: Date | null
  /** When its last row was deleted. */
  declare emptiedAt: Date | null
  /** When the final check for late rows was done. */
  declare endedAt: Date | null
}

/** Requests deletion of an owner at a time. Safe to repeat: the first time stays. */
export async function requestDeletion(trx: Transaction, ownerId: string, now: Date, dueAt = now): Promise<void> {
  const row = { ownerId, requestedAt: now, dueAt, nextAt: dueAt }
  await Deletion.query(trx).insert(row).onConflict('ownerId').ignore()
  // The sweep runs now, so the subscription does not renew.
  await trx('accounts').where({ ownerId }).update({ lookAt: now })
}
