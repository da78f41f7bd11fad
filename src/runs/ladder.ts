import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database, Transaction } from '../database.ts'
import type { Logger } from '../logger.ts'
import type { Temporal } from '../temporal.ts'
import { lockQueue } from './agent-queue.ts'
import type { WriteEnding } from './end.ts'
import { cancelledAs } from './next-move.ts'
import { Run, runFacts } from './run.ts'
import { hasEnded } from './states.ts'

const batch = 50

interface Overdue {
  id: string
  agent_id: string
}

/**
 * The last rung of cancelling (decisions, "Cancel"): a run that has not ended CANCEL_SECONDS after it was asked to, for
 * whatever reason (its worker is wedged or gone, Temporal is away), is ended in the record under a new epoch, so that
 * nothing which is still under way can write for it any more, and its workflow is terminated. Done by every process,
 * APIs too, without a lease: it must hold when no worker is left.
 */
export function createLadder(context: {
  database: Database
  clock: Clock
  config: Config
  temporal: Temporal
  logger: Logger
  writeEnding: WriteEnding
}) {
  const { database, clock, config, temporal, logger, writeEnding } = context

  async function overdue(): Promise<Overdue[]> {
    const { rows } = await database.raw<{ rows: Overdue[] }>(
      `select id, agent_id from runs where status in ('running', 'waiting')
          and cancel_requested_at < ?::timestamptz - make_interval(secs => ?) order by cancel_requested_at limit ?`,
      [clock.now(), config.cancelSeconds, batch],
    )
    return rows
  }

  async function endUnderLock(trx: Transaction, { id, agent_id: agentId }: Overdue): Promise<boolean> {
    await trx.raw("set local lock_timeout = '2s'")
    await lockQueue(trx, agentId)
    const run = await Run.query(trx).findById(id).select(runFacts).forUpdate()
    if (!run?.cancelReason || hasEnded(run.status)) return false
    await Run.query(trx)
      .findById(id)
      .patch({ epoch: run.epoch + 1 })
    await writeEnding(trx, run, { status: cancelledAs(run.cancelReason), reason: run.cancelReason }, clock.now())
    return true
  }

  /** On its own, and not for long: a lock that a frozen process holds must not keep the others from ending in time. */
  async function force(run: Overdue): Promise<void> {
    const { id: runId, agent_id: agentId } = run
    const cause = `it had not ended ${config.cancelSeconds} s after it was asked to`
    try {
      if (!(await database.transaction((trx) => endUnderLock(trx, run)))) return
      logger.warn({ runId, agentId, repair: 'cancel-forced', cause }, 'a cancelled run was ended in the record')
      await temporal.terminateRun(runId, 'cancelled, and did not end')
    } catch (error) {
      logger.warn({ err: error, runId }, 'a cancelled run was not ended, or its workflow not terminated')
    }
  }

  /** One look at all runs that were asked to end; side by side, because a Temporal that is away takes 2 s for each. */
  async function climb(): Promise<void> {
    await Promise.all((await overdue()).map(force))
  }

  return { climb }
}
