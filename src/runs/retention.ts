import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import type { Logger } from '../logger.ts'

/**
 * Runs, or direct calls, that one transaction deletes. A run may have thousands of rows: its locks must not be held for
 * long, nor the disk be kept from others.
 */
const batch = 100

/** So long a round begins further batches, in milliseconds; the rest waits for the next round. */
const roundMs = 5000

const dayMs = 86_400_000

/**
 * Deletes what ended more than RUN_RETENTION_DAYS days ago: runs with their steps, calls, events and callbacks, and direct
 * tool calls. The ledger of credits, the fires of schedules and notifications have times of their own.
 */
export function createRetention(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'runRetentionDays'>
  logger: Logger
}) {
  const { database, clock, config, logger } = context

  /** Until a batch is not full any more. Each is committed by itself, so nothing is lost by stopping between two. */
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
     * One round; it ends after a few seconds, or when the signal aborts, with what it has done until then. Several
     * processes may do this at once: each takes what the others have not locked.
     */
    async purge(stopping: AbortSignal): Promise<void> {
      const before = new Date(clock.now().getTime() - config.runRetentionDays * dayMs)
      const begun = performance.now()
      const isOver = () => stopping.aborted || performance.now() - begun > roundMs
      const runs = await inBatches((trx) => purgeRuns(trx, before), isOver)
      const directCalls = await inBatches((trx) => purgeDirectCalls(trx, before), isOver)
      if (runs + directCalls > 0) logger.info({ runs, directCalls, before }, 'what ended before then was purged')
    },
  }
}

/** What belongs to a run goes with it (on delete cascade). */
async function purgeRuns(trx: Transaction, before: Date): Promise<number> {
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(lockRunsStatement, { before, batch })
  const runIds = rows.map(({ id }) => id)
  // Its owner may be asking for another attempt at this moment. Then this waits, and the next statement sees it.
  await trx.raw('select from callbacks where run_id = any(:runIds) for update', { runIds })
  return (await trx.raw<{ rowCount: number }>(deleteRunsStatement, { runIds })).rowCount
}

/** Those of runs go with their runs. */
async function purgeDirectCalls(trx: Transaction, before: Date): Promise<number> {
  return (await trx.raw<{ rowCount: number }>(deleteCallsStatement, { before, batch })).rowCount
}

/** A run whose ending is still to be posted is kept: what is posted is read from it at each attempt. */
const isAwaited = `exists (select from callbacks c where c.run_id = r.id and c.status = 'pending')`

const lockRunsStatement = `
  select id from runs r where ended_at < :before and not ${isAwaited}
   order by ended_at limit :batch for update skip locked`

const deleteRunsStatement = `delete from runs r where id = any(:runIds) and not ${isAwaited}`

const deleteCallsStatement = `
  delete from tool_calls where id = any(array(
    select id from tool_calls where origin = 'direct' and ended_at < :before order by ended_at limit :batch
       for update skip locked))`
