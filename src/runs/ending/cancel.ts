import { later, type Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { assertThat } from '../../errors.ts'
import type { Logger } from '../../logger.ts'
import type { Temporal } from '../../temporal/temporal.ts'
import type { Due } from '../due.ts'
import { lockQueue } from '../agent-queue.ts'
import { endedTogether, type WriteEnding } from './end.ts'
import { Run, runFacts } from '../run.ts'
import { cancelledAs, hasEnded, unfinishedStatuses, type EndReason } from '../states.ts'
import { append } from '../timeline.ts'

/** Why somebody asks for a run to end, and who that is. */
const askers = {
  CANCELLED_BY_OWNER: 'owner',
  SKIPPED_BY_OWNER: 'owner',
  WITHDRAWN: 'sender',
  AGENT_DELETED: 'deletion',
} as const satisfies Partial<Record<EndReason, string>>

type CancelReason = keyof typeof askers

type Named = Pick<Run, 'id' | 'agentId'>

/**
 * The first rung of cancelling: the wish is recorded, and every step looks at it. A run that is queued or waits has
 * nothing under way, so it ends in the record at once, whether Temporal is there or not; one that works is told through
 * Temporal, and the reconciler ends those that do not listen.
 */
export function createCancel(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'cancelSeconds'>
  temporal: Temporal
  logger: Logger
  due: Due
  writeEnding: WriteEnding
}) {
  const { database, clock, config, temporal, logger, due, writeEnding } = context

  async function cancelUnderLock(trx: Transaction, run: Run, reason: CancelReason): Promise<void> {
    const now = clock.now()
    if (!run.cancelRequestedAt) {
      const changes = { cancelRequestedAt: now, cancelReason: reason }
      await append(trx, run.id, now, [{ kind: 'cancel.requested', data: { by: askers[reason] } }], changes)
    }
    // Whatever keeps it from ending, it is ended by force then.
    if (run.status === 'running') return due.agent(trx, run.agentId, later(now, config.cancelSeconds))
    await writeEnding(trx, run, { status: cancelledAs(reason), reason }, now)
  }

  /** The record knows already; if Temporal cannot be told now, the reconciler ends it. */
  const tell = (runId: string) =>
    temporal.cancelRun(runId).catch((error: unknown) => logger.warn({ err: error, runId }, 'Temporal was not told'))

  async function request({ id, agentId }: Named, reason: CancelReason, assertMay: (run: Run) => void): Promise<Run> {
    const before = await database.transaction(async (trx) => {
      await lockQueue(trx, agentId)
      const run = await Run.query(trx).findById(id).select(runFacts).forUpdate().throwIfNotFound()
      assertMay(run)
      await cancelUnderLock(trx, run, reason)
      return run.status
    })
    if (before !== 'queued') await tell(id)
    return Run.query(database).findById(id).throwIfNotFound()
  }

  return {
    /** Cancels one run. RUN_NOT_CANCELLABLE when it has ended. */
    cancel: (run: Named): Promise<Run> => request(run, 'CANCELLED_BY_OWNER', assertUnfinished),

    /**
     * Gives up a run that waits, or is queued, so that the next of its agent can go on; it can be replayed later.
     * RUN_NOT_CANCELLABLE when it has ended, or works.
     */
    skip: (run: Named): Promise<Run> => request(run, 'SKIPPED_BY_OWNER', assertIdle),

    /** Takes back a delivery that is still queued, for its sender. RUN_NOT_CANCELLABLE when it is not. */
    withdraw: (run: Named): Promise<Run> => request(run, 'WITHDRAWN', assertQueued),

    /** Cancels runs of an agent that was deleted, the begun one first, and not all of very many: the reconciler goes on. */
    async cancelSomeOf(agentId: string): Promise<void> {
      const cancelled = await database.transaction(async (trx) => {
        await lockQueue(trx, agentId)
        const open = await Run.query(trx)
          .select(runFacts)
          .where({ agentId })
          .whereIn('status', unfinishedStatuses)
          .whereNull('cancelRequestedAt')
          .orderByRaw(`status = 'queued', sequence`)
          .limit(endedTogether)
          .forUpdate()
        for (const run of open) await cancelUnderLock(trx, run, 'AGENT_DELETED')
        return open
      })
      for (const { id, status } of cancelled) if (status !== 'queued') await tell(id)
    },
  }
}

function assertUnfinished({ status }: Run): void {
  assertThat(!hasEnded(status), 'RUN_NOT_CANCELLABLE', { message: `The run has already ended: it is ${status}.` })
}

function assertIdle(run: Run): void {
  assertUnfinished(run)
  const message = 'The run is at work. Only a run that waits or is queued can be skipped; this one can be cancelled.'
  assertThat(run.status !== 'running', 'RUN_NOT_CANCELLABLE', { message })
}

function assertQueued(run: Run): void {
  assertUnfinished(run)
  const message = 'The run has been started already. Only its owner can cancel it now.'
  assertThat(run.status === 'queued', 'RUN_NOT_CANCELLABLE', { message })
}
