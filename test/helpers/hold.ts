import type { Database, Transaction } from '../../src/database/database.ts'
import { eventually } from './eventually.ts'

/**
 * Takes a lock in a separate transaction, and returns the function that releases it. Postgres ends transactions that
 * are idle for five seconds, so this one keeps sending queries.
 */
export async function hold(database: Database, lock: (trx: Transaction) => Promise<unknown>) {
  const trx = await database.transaction()
  await lock(trx)
  const asking = setInterval(() => void trx.raw('select 1').catch(() => undefined), 1000)
  return async (): Promise<void> => {
    clearInterval(asking)
    await trx.rollback()
  }
}

/** Waits until this many statements of the database wait for locks. */
export const untilBlocked = (database: Database, count = 1): Promise<boolean> =>
  eventually(30, `${count} statements wait for locks`, async () => {
    const { rows } = await database.raw<{ rows: unknown[] }>(
      `select from pg_stat_activity
        where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
    )
    return rows.length >= count || undefined
  })

/** Waits until this many statements wait, directly or indirectly, for the locks of a transaction. */
export const untilBlockedBy = (database: Database, trx: Transaction, count = 1): Promise<boolean> =>
  eventually(20, `${count} statements wait for the transaction`, async () => {
    const own = await trx.raw<{ rows: { pid: number }[] }>('select pg_backend_pid() as pid')
    const { rows } = await database.raw<{ rows: unknown[] }>(
      `with recursive blocked as (
         select :pid::integer as pid
         union select waiting.pid from pg_stat_activity waiting, blocked where blocked.pid = any(pg_blocking_pids(waiting.pid)))
       select from blocked`,
      { pid: own.rows[0]?.pid ?? 0 },
    )
    return rows.length > count || undefined
  })
