import type { Clock } from '../../clock.ts'
import type { Transaction } from '../../database/database.ts'
import type { Logger } from '../../logger.ts'
import { AgentQueue } from '../agent-queue.ts'
import { Run } from '../run.ts'
import { unfinishedStatuses } from '../states.ts'
import { contradictionsOf } from './contradictions.ts'

/**
 * Brings a locked queue row in line with its runs. Everything changes both in one transaction, so they contradict each
 * other only if somebody has changed the database by hand, or restored a part of it. True if
 * its workflow is to look at it then.
 */
export async function correctQueue(
  trx: Transaction,
  queue: AgentQueue,
  { clock, logger }: { clock: Clock; logger: Logger },
): Promise<boolean> {
  const { agentId } = queue
  const open = await Run.query(trx).where({ agentId }).whereIn('status', unfinishedStatuses).select('id', 'status')
  const active = open.find(({ status }) => status !== 'queued')?.id ?? null
  const causes = contradictionsOf(queue, open.length, active)
  if (causes.length === 0) return false
  const now = clock.now()
  const awake = { awake: true, progressedAt: now, signalledAt: now }
  await AgentQueue.query(trx)
    .findById(agentId)
    .patch({ unfinished: open.length, runningRunId: active, ...(open.length > 0 && !queue.blockedCause && awake) })
  const cause = causes.join('; ')
  logger.warn(
    { repair: 'record', cause, agentId, runId: active ?? undefined },
    'a queue row was brought in line with its runs',
  )
  return open.length > 0 && !queue.blockedCause
}
