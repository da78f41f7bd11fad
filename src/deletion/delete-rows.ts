import type { Database, Transaction } from '../database/database.ts'
import { lockOwner } from '../users/user.ts'
import { largeBatches } from './large-batches.ts'
import { ofOwner, ofUser, ofWorkspace } from './delete-statements.ts'

export type Kind = 'user' | 'workspace'

/** The most rows that one statement deletes: more would hold locks for too long. */
const batch = 500

const statementsFor = (kind: Kind): string[] => [...ofOwner, ...(kind === 'user' ? ofUser : ofWorkspace)]

/** Deletes the rows of an owner that has no active work. */
export function createDeleteRows({ database }: { database: Database }) {
  const run = async (db: Database | Transaction, sql: string, ownerId: string): Promise<number> =>
    (await db.raw<{ rowCount: number }>(sql, { ownerId, batch })).rowCount

  /** Repeats the work until nothing is left. False if the time is up first. */
  async function exhaust(work: () => Promise<number>, isOver: () => boolean): Promise<boolean> {
    while (!isOver()) if ((await work()) === 0) return true
    return false
  }

  /** Deletes all rows except the owner's own, within the time. True if none is left. */
  async function clear(ownerId: string, kind: Kind, isOver: () => boolean): Promise<boolean> {
    for (const deleteBatch of largeBatches) {
      const work = () => database.transaction((trx) => deleteBatch(trx, ownerId))
      if (!(await exhaust(work, isOver))) return false
    }
    for (const sql of statementsFor(kind)) {
      if (!(await exhaust(() => run(database, sql, ownerId), isOver))) return false
    }
    return true
  }

  /** Whether rows were created meanwhile. Call it under the lock that creation takes. */
  async function isAnythingLeft(trx: Transaction, ownerId: string, kind: Kind): Promise<boolean> {
    const { rows } = await trx.raw<{ rows: [{ isLeft: boolean }] }>(leftStatement, { ownerId })
    if (rows[0].isLeft) return true
    for (const deleteBatch of largeBatches) if ((await deleteBatch(trx, ownerId)) > 0) return true
    for (const sql of statementsFor(kind)) if ((await run(trx, sql, ownerId)) > 0) return true
    return false
  }

  /** Deletes the row of the user or workspace, and ends the subscription. False if other rows must be deleted first. */
  const close = (ownerId: string, kind: Kind): Promise<boolean> =>
    database.transaction(async (trx) => {
      const exists: unknown = await trx(kind === 'user' ? 'users' : 'workspaces')
        .where({ id: ownerId })
        .first('id')
      if (exists === undefined) return true
      await lockOwner(trx, ownerId)
      if (await isAnythingLeft(trx, ownerId, kind)) return false
      if (kind === 'workspace') await trx('workspaces').where({ id: ownerId }).delete()
      else {
        await trx.raw(endSubscriptionStatement, { ownerId })
        await trx('users').where({ id: ownerId }).delete()
      }
      return true
    })

  return { clear, close }
}

/** Rows that statements alone do not delete. */
const leftStatement = `
  select exists (select from vault_entries where owner_id = :ownerId)
      or exists (select from agents where owner_id = :ownerId)
      or exists (select from payment_methods where owner_id = :ownerId)
      or exists (select from workspaces where payer_id = :ownerId) as "isLeft"`

/** The account's row stays, because the ledger refers to it. */
const endSubscriptionStatement = `
  update accounts
     set tier = 'free', current_period_end = null, cancelled_at = null, subscription = null, subscription_status = null,
         next_tier = null, customer = null, look_at = null, top_up_enabled = false
   where owner_id = :ownerId`
