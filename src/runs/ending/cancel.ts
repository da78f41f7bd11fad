import { later, type Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { assertThat } from '../../errors.ts'
import type { Logger } from '../../logger.ts'
import type { Temporal } from '../../temporal/temporal.ts'
import type { Due } from '../due.ts'
import { lockQueue } from '../agent-queue.ts'
import { endBatch, type WriteEnding } from './end-run.ts'
import { Run } from '../run.ts'
import { cancelledAs, hasEnded, unfinishedStatuses, type EndReason } from '../states.ts'
import { append } from '../timeline.ts'

/** Why a run is cancelled, and who requests it. */
const requesters = {
  CANCELLED_BY_OWNER: 'owner',
  CANCELLED_BY_OPERATOR: 'operator',
  SKIPPED_BY_OWNER: 'owner',
  WITHDRAWN: 'sender',
  AGENT_DELETED: 'deletion',
} as const satisfies Partial<Record<EndReason, string>>

type CancelReason = keyof typeof requesters

/** A way to end a run: the reason, and the check of the locked run. */
interface Way {
  reason: CancelReason
  assertMay: (run: Run) => void
}

type Named = Pick<Run, 'id' | 'agentId'>

/** Writes more in the transaction that records a request. */
type Note = (trx: Transaction, before: Run) => Promise<void>

/**
 * First stage of cancelling: records the request, which every step checks. A queued or waiting run has nothing in
 * progress, so it ends in the record immediately, even without Temporal. A working run is cancelled through Temporal;
 * the reconciler force-cancels it if it does not end.
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
      await append(trx, run.id, now, [{ kind: 'cancel.requested', data: { by: requesters[reason] } }], changes)
    }
    // The reconciler force-cancels a run that has not ended by then.
    if (run.status === 'running') return due.agent(trx, run.agentId, later(now, config.cancelSeconds))
    await writeEnding(trx, run, { status: cancelledAs(reason), reason }, now)
  }

  /** The request is recorded, so the reconciler ends the run if Temporal is away. */
  const cancelInTemporal = (runId: string) =>
    temporal
      .cancelRun(runId)
      .catch((error: unknown) => logger.warn({ err: error, runId }, 'failed to cancel a run in Temporal'))

  /** Returns the run as it was before. */
  const record = ({ id, agentId }: Named, { reason, assertMay }: Way, note?: Note): Promise<Run> =>
    database.transaction(async (trx) => {
      await lockQueue(trx, agentId)
      const run = await Run.query(trx).findById(id).forUpdate().throwIfNotFound()
      assertMay(run)
      await cancelUnderLock(trx, run, reason)
      await note?.(trx, run)
      return run
    })

  async function request(run: Named, way: Way): Promise<Run> {
    const before = await record(run, way)
    if (before.status !== 'queued') await cancelInTemporal(run.id)
    return Run.query(database).findById(run.id).throwIfNotFound()
  }

  return {
    /** The two halves of a request by the owner, for several runs. RUN_NOT_CANCELLABLE as for one. */
    recordFor: (way: keyof typeof ofOwner, run: Named, note: Note): Promise<Run> => record(run, ofOwner[way], note),
    cancelInTemporal,

    /** Cancels one run. RUN_NOT_CANCELLABLE if it has ended. */
    cancel: (run: Named): Promise<Run> => request(run, ofOwner.cancel),

    /** Cancels one run for an operator. RUN_NOT_CANCELLABLE if it has ended. */
    cancelByOperator: (run: Named): Promise<Run> =>
      request(run, { reason: 'CANCELLED_BY_OPERATOR', assertMay: assertUnfinished }),

    /**
     * Skips a waiting or queued run, so the agent's next run can start. The skipped run can be replayed; resuming it
     * later would need an order besides the sequence. RUN_NOT_CANCELLABLE if it has ended or is working.
     */
    skip: (run: Named): Promise<Run> => request(run, ofOwner.skip),

    /** Withdraws a queued delivery for its sender. RUN_NOT_CANCELLABLE if it is not queued. */
    withdraw: (run: Named): Promise<Run> => request(run, { reason: 'WITHDRAWN', assertMay: assertQueued }),

    /** Cancels some runs of a deleted agent, the begun one first. The reconciler cancels the rest. */
    async cancelSomeOf(agentId: string): Promise<void> {
      const cancelled = await database.transaction(async (trx) => {
        await lockQueue(trx, agentId)
        const open = await Run.query(trx)

          .where({ agentId })
          .whereIn('status', unfinishedStatuses)
          .whereNull('cancelRequestedAt')
          .orderByRaw(`status = 'queued', sequence`)
          .limit(endBatch)
          .forUpdate()
        for (const run of open) await cancelUnderLock(trx, run, 'AGENT_DELETED')
        return open
      })
      for (const { id, status } of cancelled) if (status !== 'queued') await cancelInTemporal(id)
    },
  }
}

function assertUnfinished({ status }: Run): void {
  assertThat(!hasEnded(status), 'RUN_NOT_CANCELLABLE', {
    message: `The run has already ended with the status "${status}".`,
  })
}

function assertIdle(run: Run): void {
  assertUnfinished(run)
  const message = 'The run is in progress. You can skip only a queued or waiting run. Cancel this run instead.'
  assertThat(run.status !== 'running', 'RUN_NOT_CANCELLABLE', { message })
}

function assertQueued(run: Run): void {
  assertUnfinished(run)
  const message = "The run has already started. Only the agent's owner can cancel it now."
  assertThat(run.status === 'queued', 'RUN_NOT_CANCELLABLE', { message })
}

/** The ways in which an owner ends runs. */
const ofOwner = {
  cancel: { reason: 'CANCELLED_BY_OWNER', assertMay: assertUnfinished },
  skip: { reason: 'SKIPPED_BY_OWNER', assertMay: assertIdle },
} as const satisfies Record<string, Way>
