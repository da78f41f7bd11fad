import type { Database, Transaction } from '../../src/database/database.ts'

/**
 * Locks something in a separate transaction, and returns the function that releases it. Postgres ends transactions that
 * are idle for five seconds, so this one keeps querying.
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
