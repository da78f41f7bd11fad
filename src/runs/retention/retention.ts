import { later, type Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import type { Database, Transaction } from '../../database/database.ts'
import type { Logger } from '../../logger.ts'
import { purgeTimelines } from './purge-timelines.ts'
import { beginRound, inBatches } from '../../database/batches.ts'

/** Runs or direct calls deleted per transaction. Larger batches would hold locks for too long. */
const batch = 500

/**
 * Deletes records RUN_RETENTION_DAYS after they ended: runs with their callbacks, approvals and idempotency keys,
 * direct tool calls, then timelines of deleted runs (docs/decisions/0041). The credit ledger, schedule fires and
 * notifications have their own retention.
 */
export function createRetention(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'runRetentionDays'>
  logger: Logger
}) {
  const { database, clock, config, logger } = context

  const endOfRetention = (): Date => later(clock.now(), -config.runRetentionDays * 86_400)

  return {
    /**
     * One round. It ends after a few seconds or on abort, and keeps its progress. Several processes may purge at the
     * same time: each skips rows that others have locked.
     */
    async purge(stopping: AbortSignal): Promise<void> {
      const isOver = beginRound(stopping)
      const before = endOfRetention()
      const purgeAll = (purge: typeof purgeRuns) =>
        inBatches(batch, () => database.transaction((trx) => purge(trx, before)), isOver)
      const runs = await purgeAll(purgeRuns)
      const directCalls = await purgeAll(purgeDirectCalls)
      if (runs + directCalls > 0) logger.info({ runs, directCalls, before }, 'purged old runs and direct calls')
    },

    /**
     * One round for timelines, time-limited like `purge`. One process at a time, because dropping partitions locks
     * tables.
     */
    async purgeTimelines(stopping: AbortSignal): Promise<void> {
      const timelines = await purgeTimelines(database, endOfRetention(), beginRound(stopping))
      if (timelines.partitions.length + timelines.rows > 0) logger.info(timelines, 'purged old timelines')
    },
  }
}

/** Deletes runs with everything that refers to them (on delete cascade). Timelines are purged by week. */
async function purgeRuns(trx: Transaction, before: Date): Promise<number> {
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(lockRunsStatement, { before, batch })
  const runIds = rows.map(({ id }) => id)
  // If the owner is retrying a callback, this waits, and the next statement sees the retry.
  await trx.raw('select from callbacks where run_id = any(:runIds) for update', { runIds })
  const deleted = await trx.raw<{ rows: { id: string; agentId: string }[] }>(deleteRunsStatement, { runIds })
  await trx.raw('delete from approvals where run_id = any(:ids)', { ids: deleted.rows.map(({ id }) => id) })
  const agentIds = [...new Set(deleted.rows.map(({ agentId }) => agentId))]
  await trx.raw(lockPromptsStatement, { agentIds })
  await trx.raw(deletePromptsStatement, { agentIds })
  return deleted.rows.length
}

async function purgeDirectCalls(trx: Transaction, before: Date): Promise<number> {
  return (await trx.raw<{ rowCount: number }>(deleteCallsStatement, { before, batch })).rowCount
}

/** Runs with a pending callback are kept, because each attempt reads the run. */
const hasPendingCallback = `exists (select from callbacks c where c.run_id = r.id and c.status = 'pending')`

const lockRunsStatement = `
  select id from runs r where ended_at < :before and not ${hasPendingCallback}
   order by ended_at limit :batch for update skip locked`

const deleteRunsStatement = `
  delete from runs r where id = any(:runIds) and not ${hasPendingCallback} returning id, agent_id as "agentId"`

/**
 * Locks replaced instructions. Another purge may have deleted their runs without committing yet. Waiting for it lets
 * the last purge see that no run is left.
 */
const lockPromptsStatement = `
  select from agent_prompts p where agent_id = any(:agentIds) and exists (
    select from agent_prompts later where later.agent_id = p.agent_id and later.since_sequence > p.since_sequence)
   order by agent_id, since_sequence for update of p`

/** Instructions are in force until the next ones. Without a run of that time, they are not needed. */
const deletePromptsStatement = `
  delete from agent_prompts where (agent_id, since_sequence) in (
    select agent_id, since_sequence
      from (select agent_id, since_sequence,
                   lead(since_sequence) over (partition by agent_id order by since_sequence) as until
              from agent_prompts where agent_id = any(:agentIds)) p
     where until is not null and not exists (
       select from runs r where r.agent_id = p.agent_id and r.sequence >= p.since_sequence and r.sequence < p.until))`

const deleteCallsStatement = `
  delete from direct_tool_calls where id = any(array(
    select id from direct_tool_calls where ended_at < :before order by ended_at limit :batch
       for update skip locked))`
