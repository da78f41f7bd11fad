import type { Database, Transaction } from '../../src/database/database.ts'

/**
 * Locks something in a transaction of the test's own, and gives what lets go of it. Postgres ends transactions that do
 * nothing for five seconds, so this one keeps asking.
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
