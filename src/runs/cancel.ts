import type { Clock } from '../clock.ts'
import type { Database, Transaction } from '../database.ts'
import { assertThat } from '../errors.ts'
import type { Logger } from '../logger.ts'
import type { Temporal } from '../temporal.ts'
import { lockQueue } from './agent-queue.ts'
import { writeEnding } from './end.ts'
import { Run } from './run.ts'
import { hasEnded, type EndReason } from './states.ts'
import { append } from './timeline.ts'

/**
 * Cancels runs. The wish is recorded first and every step looks at it, so it holds although Temporal may be away; a
 * queued run ends in the record alone.
 */
export function createCancel(context: { database: Database; clock: Clock; temporal: Temporal; logger: Logger }) {
  const { database, clock, temporal, logger } = context

  async function cancelUnderLock(trx: Transaction, run: Run, reason: EndReason): Promise<'ended' | 'requested'> {
    const now = clock.now()
    const by = reason === 'AGENT_DELETED' ? 'deletion' : 'owner'
    if (!run.cancelRequestedAt) {
      await Run.query(trx).findById(run.id).patch({ cancelRequestedAt: now, cancelReason: reason })
      await append(trx, run.id, now, [{ kind: 'cancel.requested', data: { by } }])
    }
    if (run.status !== 'queued') return 'requested'
    await writeEnding(trx, run, { status: 'cancelled', reason }, now)
    return 'ended'
  }

  /** The record knows already; if Temporal cannot be told now, the run's next step ends it, or the sweeper does. */
  const tell = (runId: string) =>
    temporal.cancelRun(runId).catch((error: unknown) => logger.warn({ err: error, runId }, 'Temporal was not told'))

  return {
    /** Cancels one run. Fails with RUN_NOT_CANCELLABLE when it has ended. */
    async cancel(run: Pick<Run, 'id' | 'agentId'>): Promise<Run> {
      const done = await database.transaction(async (trx) => {
        await lockQueue(trx, run.agentId)
        const locked = await Run.query(trx).findById(run.id).forUpdate().throwIfNotFound()
        const message = `The run has already ended: it is ${locked.status}.`
        assertThat(!hasEnded(locked.status), 'RUN_NOT_CANCELLABLE', { message })
        return cancelUnderLock(trx, locked, 'CANCELLED_BY_OWNER')
      })
      if (done === 'requested') await tell(run.id)
      return Run.query(database).findById(run.id).throwIfNotFound()
    },

    /** Cancels every unfinished run of an agent that was deleted. */
    async cancelAllOf(agentId: string): Promise<void> {
      const requested = await database.transaction(async (trx) => {
        await lockQueue(trx, agentId)
        const open = await Run.query(trx).where({ agentId }).whereNull('endedAt').orderBy('sequence').forUpdate()
        for (const run of open) await cancelUnderLock(trx, run, 'AGENT_DELETED')
        return open.filter(({ status }) => status !== 'queued')
      })
      for (const { id } of requested) await tell(id)
    },
  }
}
