import type { Clock } from '../clock.ts'
import type { Database, Transaction } from '../database.ts'
import { ToolCall } from '../tools/tool-call.ts'
import type { EndedStatus } from '../../workflows/messages.ts'
import { AgentQueue, lockQueue } from './agent-queue.ts'
import { StaleEpochError, type RunRef } from './record.ts'
import { currentWaitMs } from './next-move.ts'
import { Run } from './run.ts'
import { endReasons, hasEnded, mayMove, type EndReason } from './states.ts'
import { append } from './timeline.ts'

/** How a run ended; a reason is given for everything but the model finishing. */
export interface Ending {
  status: EndedStatus
  reason: EndReason | null
}

/**
 * Ends a run and frees its agent's queue, in one transaction under the queue's lock. Ending an ended run changes
 * nothing, so whoever learns of an ending may report it. Throws StaleEpochError.
 */
export function createEnd({ database, clock }: { database: Database; clock: Clock }) {
  return {
    endRun: (ref: RunRef & { agentId: string }, ending: Ending) =>
      database.transaction(async (trx) => {
        await lockQueue(trx, ref.agentId)
        const run = await Run.query(trx).findById(ref.runId).forUpdate()
        if (!run || run.epoch !== ref.epoch) throw new StaleEpochError('the run is acted for under a later epoch')
        if (!hasEnded(run.status)) await writeEnding(trx, run, asRequested(run, ending), clock.now())
      }),
  }
}

/** The workflow learns that it is cancelled, not by whom; the record knows whether somebody asked for it there. */
const asRequested = (run: Run, ending: Ending): Ending =>
  ending.status === 'cancelled' && run.cancelReason ? { ...ending, reason: run.cancelReason } : ending

/** Writes the ending of a run whose queue and row are locked: calls without an outcome first, the run, the queue. */
export async function writeEnding(trx: Transaction, run: Run, ending: Ending, now: Date): Promise<void> {
  const { status } = ending
  if (!mayMove(run.status, status)) throw new Error(`a run cannot move from ${run.status} to ${status}`)
  await closeCalls(trx, run.id, now)
  await endWait(trx, run, now)
  const error = ending.reason ? endReasons[ending.reason] : null
  await Run.query(trx).findById(run.id).patch({ status, reason: ending.reason, error, endedAt: now })
  await append(trx, run.id, now, [{ kind: 'ended', data: { status, reason: ending.reason, message: error } }])
  await AgentQueue.query(trx)
    .findById(run.agentId)
    .patch({
      unfinished: trx.raw('unfinished - 1'),
      runningRunId: trx.raw('nullif(running_run_id, ?)', [run.id]),
      progressedAt: now,
    } as never)
}

/** Records that a wait is over, however it came to that. The status is the caller's. */
export async function endWait(trx: Transaction, run: Run, now: Date): Promise<void> {
  if (!run.waitingCause) return
  const ms = currentWaitMs(run, now)
  const none = { waitingCause: null, waitingFor: null, waitingSince: null, waitingUntil: null }
  await Run.query(trx)
    .findById(run.id)
    .patch({ ...none, waitedMs: run.waitedMs + ms })
  await append(trx, run.id, now, [{ kind: 'wait.ended', data: { cause: run.waitingCause, ms } }])
}

const neverSent = 'The run ended before this call was sent.'
const inFlight = 'The run ended while this call was under way; it may or may not have taken effect.'

async function closeCalls(trx: Transaction, runId: string, now: Date): Promise<void> {
  await trx.raw('delete from outgoing_waits where call_id in (select id from tool_calls where run_id = ?)', [runId])
  const open = await ToolCall.query(trx).where({ runId }).whereIn('status', ['planned', 'started']).forUpdate()
  for (const call of open) {
    const text = call.status === 'planned' ? neverSent : inFlight
    // A tool that only reads cannot have had an effect that anybody would have to look into.
    const status = call.status === 'planned' || call.effect === 'read' ? 'failed' : 'unknown'
    await ToolCall.query(trx).findById(call.id).patch({ status, result: { text }, endedAt: now })
    const data = { callId: call.id, attempts: call.attempts, status, note: text }
    await append(trx, runId, now, [{ kind: 'tool.finished', data }])
  }
}
