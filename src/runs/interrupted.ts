import type { Transaction } from '../database.ts'
import type { Logger } from '../logger.ts'
import type { OperatorsEnd } from '../temporal-inspection.ts'
import { AgentQueue } from './agent-queue.ts'
import type { Ending } from './end.ts'
import { cancelledAs } from './next-move.ts'
import { Run } from './run.ts'
import { append } from './timeline.ts'

/** A run that is marked running although its queue asks what is next, and the epoch that it was marked under. */
export interface Interrupted {
  runId: string
  epoch: number
}

/**
 * The run, locked with its queue, goes on under a new epoch, which is returned: the execution before is gone, or nobody
 * listens to it.
 */
export async function takeUpAgain(
  trx: Transaction,
  run: Run,
  { now, claimedBy, logger }: { now: Date; claimedBy: string | null; logger: Logger },
): Promise<number> {
  const { id: runId, agentId } = run
  const epoch = run.epoch + 1
  await Run.query(trx).findById(runId).patch({ epoch })
  await AgentQueue.query(trx).findById(agentId).patch({ claimedBy, progressedAt: now, awake: true })
  const cause = 'the execution before was ended in Temporal, or lost there'
  const note = `The run was taken up again by a new execution, because ${cause}; it goes on from its last recorded step.`
  await append(trx, runId, now, [{ kind: 'recovered', data: { epoch, step: run.steps, note } }])
  logger.warn({ repair: 'take-up', cause, agentId, runId, epoch }, 'a run was taken up again')
  return epoch
}

/** What an operator's act in Temporal means to the run: the same as if its queue had seen it (docs/operations.md). */
export function endingOf({ cancelReason }: Run, end: OperatorsEnd): Ending {
  if (end === 'terminated') return { status: 'failed', reason: 'TERMINATED' }
  return { status: cancelledAs(cancelReason), reason: cancelReason ?? 'CANCELLED_BY_OPERATOR' }
}
