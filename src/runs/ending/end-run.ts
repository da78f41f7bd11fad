import { systemOwnerId } from '../../owners/system-owner.ts'
import type { Agents } from '../../agents/agents.ts'
import type { Callbacks } from '../../callbacks/callbacks.ts'
import type { Clock } from '../../clock.ts'
import { afterCommit } from '../../database/after-commit.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { closeCalls } from '../../loop/close-calls.ts'
import type { Loop } from '../../loop/loop.ts'
import type { Logger } from '../../logger.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type { Notifications } from '../../notifications/notifications.ts'
import type { ToolCall } from '../../tools/tool-call.ts'
import type { EndedStatus, Next } from '../../../workflows/messages.ts'
import { statement } from '../../database/statement.ts'
import { lockQueue, type AgentQueue } from '../agent-queue.ts'
import { lockRun, type RunRef } from '../record.ts'
import type { Run } from '../run.ts'
import { cancelledAs, hasEnded, mayTransition, type EndReason } from '../states.ts'
import { notifyPaused } from '../notify-outage.ts'
import { errorOf } from './ending-error.ts'
import { logEnding } from './log-ending.ts'
import { notifyFailing } from './notify-failing.ts'
import { currentWaitMs, isUncounted } from '../time-left.ts'
import type { RunTraces } from '../run-traces.ts'
import { append, type NewEvent } from '../timeline.ts'

/** Runs of a deleted agent that end per transaction, which locks the queue for about half a second. */
export const endBatch = 100

/** How a run ended. The reason is null only if the model finished. */
export interface Ending {
  status: EndedStatus
  reason: EndReason | null
}

/**
 * Writes the ending of a run whose queue and row are locked: open calls first, then run and queue. The callback and the
 * notification are written in the same transaction.
 */
export function createWriteEnding({
  agents,
  callbacks,
  notifications,
  logger,
  loop,
  metrics,
  traces,
}: {
  agents: Pick<Agents, 'pauseFor'>
  callbacks: Callbacks
  notifications: Notifications
  logger: Logger
  loop: Pick<Loop, 'settleCalls'>
  metrics: Pick<Metrics, 'runsEnded' | 'runSeconds'>
  traces: RunTraces
}) {
  return async (trx: Transaction, run: Run, ending: Ending, now: Date): Promise<void> => {
    const { status, reason } = ending
    if (!mayTransition(run.status, status)) throw new Error(`a run cannot go from ${run.status} to ${status}`)
    if (run.toolCalls > 0) {
      const closed = await closeCalls(trx, { kind: 'run', id: run.id }, now)
      await append(trx, run.id, now, closed.map(closedEvent))
      loop.settleCalls(trx, { ownerId: run.ownerId, calls: closed })
    }
    await endWait(trx, run, now, traces)
    const error = reason && errorOf(reason, run)
    const changes = { status, reason, error, endedAt: now }
    await append(trx, run.id, now, [{ kind: 'ended', data: { status, reason, message: error } }], changes)
    await freeQueue(trx, run, now)
    await callbacks.queue(trx, { runId: run.id, agentId: run.agentId, now })
    if (reason === 'MODEL_UNAVAILABLE' && (await agents.pauseFor(trx, run, reason))) {
      await notifyPaused(trx, notifications, run, error ?? '')
    } else if (status === 'failed') await notifyFailing(trx, notifications, run, error ?? '')
    traces.ended(trx, run, changes)
    // Only a committed ending counts. The caller handles a rollback.
    afterCommit(trx, () => {
      logEnding(logger, run, changes)
      const isOwn = run.ownerId === systemOwnerId
      if (!isOwn) metrics.runsEnded.inc({ status, reason: reason ?? '' })
      if (!isOwn && run.startedAt) metrics.runSeconds.observe((now.getTime() - run.startedAt.getTime()) / 1000)
    })
  }
}

const closedEvent = ({ id: callId, attempts, status, result }: ToolCall): NewEvent => ({
  kind: 'tool.finished',
  data: { callId, attempts, status, note: result ?? '' },
})

export type WriteEnding = ReturnType<typeof createWriteEnding>

async function freeQueue(trx: Transaction, run: Run, now: Date): Promise<void> {
  await freeStatement(trx, { agentId: run.agentId, runId: run.id, now })
}

/** Unblocks a queue without runs to start, so the next accept may wake it. Releases what was held for the run. */
const freeStatement = statement(`
  with released as (delete from credit_holds where subject_id = :runId)
  update agent_queues
     set unfinished = unfinished - 1, progressed_at = :now::timestamptz,
         running_run_id = nullif(running_run_id, :runId),
         claimed_by = case when running_run_id is distinct from :runId then claimed_by end,
         claimed_epoch = case when running_run_id is distinct from :runId then claimed_epoch end,
         blocked_cause = case when unfinished > 1 then blocked_cause end,
         blocked_since = case when unfinished > 1 then blocked_since end
   where agent_id = :agentId`)

/**
 * Ends a run and frees its agent's queue in one transaction, under the queue's lock. Idempotent: an ended run stays
 * unchanged. Throws StaleEpochError.
 */
export function createEnd(context: {
  database: Database
  clock: Clock
  logger: Logger
  writeEnding: WriteEnding
  claimWithin: (trx: Transaction, agentId: string, claimant: string) => Promise<Next>
}) {
  const { database, clock, logger, writeEnding, claimWithin } = context

  /** Returns the queue as it was before. */
  async function endWithin(trx: Transaction, ref: Ref, ending: Ending): Promise<AgentQueue> {
    const queue = await lockQueue(trx, ref.agentId)
    const run = await lockRun(trx, ref)
    if (!hasEnded(run.status)) await writeEnding(trx, run, asRequested(run, ending), clock.now())
    return queue
  }

  const end = (ref: Ref, ending: Ending): Promise<void> =>
    database.transaction(async (trx) => void (await endWithin(trx, ref, ending)))

  return {
    end,

    /**
     * Also claims the agent's next run, for the execution of the queue's workflow that claimed this one. A claim that
     * fails does not undo the ending: the queue claims by itself.
     */
    async endAndClaim(ref: Ref, ending: Ending, claimant: string | null): Promise<Next> {
      try {
        return await database.transaction(async (trx) => {
          const { claimedBy } = await endWithin(trx, ref, ending)
          return claimant !== null && claimedBy === claimant ? claimWithin(trx, ref.agentId, claimant) : undefined
        })
      } catch (error) {
        await end(ref, ending)
        logger.warn({ err: error, agentId: ref.agentId }, 'failed to claim the next run together with an ending')
        return undefined
      }
    },
  }
}

type Ref = RunRef & { agentId: string }

/** The workflow does not know who cancelled it. The record does, unless the request came through Temporal. */
const asRequested = (run: Run, ending: Ending): Ending =>
  ending.status === 'cancelled' && run.cancelReason
    ? { status: cancelledAs(run.cancelReason), reason: run.cancelReason }
    : ending

/** Records the end of a wait. The caller sets the status. */
export async function endWait(trx: Transaction, run: Run, now: Date, traces: RunTraces): Promise<void> {
  if (!run.waitingCause) return
  const ms = currentWaitMs(run, now)
  const none = { waitingCause: null, waitingFor: null, waitingSince: null, waitingUntil: null }
  const outageMs = run.outageMs + (isUncounted(run.waitingCause) ? ms : 0)
  const changes = { ...none, waitedMs: run.waitedMs + ms, outageMs }
  await append(trx, run.id, now, [{ kind: 'wait.ended', data: { cause: run.waitingCause, ms } }], changes)
  traces.waited(trx, run, now)
}
