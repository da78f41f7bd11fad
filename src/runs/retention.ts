import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import type { Logger } from '../logger.ts'

/**
 * Runs, or direct calls, that one transaction deletes. A run may have thousands of rows; larger batches would hold
 * locks and the disk for too long.
 */
const batch = 100

/** How long a round starts new batches, in milliseconds. The rest waits for the next round. */
const roundMs = 5000

const dayMs = 86_400_000

/**
 * Deletes what ended more than RUN_RETENTION_DAYS days ago: runs with their steps, calls, events and callbacks, and
 * direct tool calls. The credit ledger, the fires of schedules and notifications have their own retention.
 */
export function createRetention(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'runRetentionDays'>
  logger: Logger
}) {
  const { database, clock, config, logger } = context

  /** Runs batches until one is not full. Each commits on its own, so stopping between two loses nothing. */
  async function inBatches(purge: (trx: Transaction) => Promise<number>, isOver: () => boolean): Promise<number> {
    let purged = 0
    while (!isOver()) {
      const count = await database.transaction(purge)
      purged += count
      if (count < batch) break
    }
    return purged
  }

  return {
    /**
     * One round. It ends after a few seconds, or when the signal aborts, and keeps what it has done. Several processes
     * may purge at once: each takes what the others have not locked.
     */
    async purge(stopping: AbortSignal): Promise<void> {
      const before = new Date(clock.now().getTime() - config.runRetentionDays * dayMs)
      const begun = performance.now()
      const isOver = () => stopping.aborted || performance.now() - begun > roundMs
      const runs = await inBatches((trx) => purgeRuns(trx, before), isOver)
      const directCalls = await inBatches((trx) => purgeDirectCalls(trx, before), isOver)
      if (runs + directCalls > 0) logger.info({ runs, directCalls, before }, 'old runs and direct calls were purged')
    },
  }
}

/** Deletes a run with all that belongs to it (on delete cascade). */
async function purgeRuns(trx: Transaction, before: Date): Promise<number> {
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(lockRunsStatement, { before, batch })
  const runIds = rows.map(({ id }) => id)
  // The owner may be retrying a callback right now. Then this waits, and the next statement sees the retry.
  await trx.raw('select from callbacks where run_id = any(:runIds) for update', { runIds })
  return (await trx.raw<{ rowCount: number }>(deleteRunsStatement, { runIds })).rowCount
}

/** Calls of runs are deleted with their runs. */
async function purgeDirectCalls(trx: Transaction, before: Date): Promise<number> {
  return (await trx.raw<{ rowCount: number }>(deleteCallsStatement, { before, batch })).rowCount
}

/** A run with a pending callback is kept, because each attempt reads the run. */
const hasPendingCallback = `exists (select from callbacks c where c.run_id = r.id and c.status = 'pending')`

const lockRunsStatement = `
  select id from runs r where ended_at < :before and not ${hasPendingCallback}
   order by ended_at limit :batch for update skip locked`

const deleteRunsStatement = `delete from runs r where id = any(:runIds) and not ${hasPendingCallback}`

const deleteCallsStatement = `
  delete from tool_calls where id = any(array(
    select id from tool_calls where origin = 'direct' and ended_at < :before order by ended_at limit :batch
       for update skip locked))`
