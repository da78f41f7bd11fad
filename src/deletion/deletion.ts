import type { Transaction } from '../database/database.ts'
import { Row } from '../database/row.ts'

/** That an owner is to be deleted, or was (table `deletions`). Without the row, an account is as any other. */
export class Deletion extends Row {
  static override tableName = 'deletions'
  static override idColumn = 'ownerId'
  declare ownerId: string
  declare requestedAt: Date
  /** Until then an account can be restored. */
  declare dueAt: Date
  /** When it is looked at next. */
  declare nextAt: Date
  /** Since when there is no way back. */
  declare begunAt: Date | null
  /** When its last row was deleted. */
  declare emptiedAt: Date | null
  /** When it was looked through once more, for what had been in progress. */
  declare endedAt: Date | null
}

/** Notes that the owner is to be deleted at a time. Safe to repeat: the first time holds. */
export async function requestDeletion(trx: Transaction, ownerId: string, now: Date, dueAt = now): Promise<void> {
  const row = { ownerId, requestedAt: now, dueAt, nextAt: dueAt }
  await Deletion.query(trx).insert(row).onConflict('ownerId').ignore()
  // The billing attends to it now, so that a subscription does not renew.
  await trx('accounts').where({ ownerId }).update({ lookAt: now })
}
