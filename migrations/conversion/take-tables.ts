import { setTimeout as delay } from 'node:timers/promises'
import type { Knex } from 'knex'

/** How long to try for, in milliseconds. */
const patienceMs = 30_000

/**
 * Locks the tables, so that nobody else reads or writes them until the transaction ends. An attempt that waits in
 * between gives up all locks: a process that is still at work would otherwise wait for one of them, and it for that.
 */
export async function takeTables(trx: Knex.Transaction, tables: string[]): Promise<void> {
  const begun = performance.now()
  for (;;) {
    try {
      await trx.transaction((attempt) => lock(attempt, tables))
      return
    } catch (error) {
      if (!isBusy(error)) throw error
      if (performance.now() - begun > patienceMs) throw new Error(busy, { cause: error })
      await delay(100)
    }
  }
}

/** Longer than `deadlock_timeout`, after which an autovacuum makes way. */
async function lock(trx: Knex.Transaction, tables: string[]): Promise<void> {
  await trx.raw(`set local lock_timeout = '3s'`)
  await trx.raw(`lock table ${tables.map(() => '??').join(', ')} in access exclusive mode`, tables)
}

/** lock_not_available, deadlock_detected */
const isBusy = (error: unknown): boolean => ['55P03', '40P01'].includes((error as { code?: string }).code ?? '')

const busy =
  'The database is in use, so nothing was changed. Stop the API and the workers of the release before, and migrate again.'
