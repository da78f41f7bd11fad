import type { Clock } from '../clock.ts'
import type { Database, Transaction } from '../database.ts'
import type { Logger } from '../logger.ts'
import type { AgentQueueInput } from '../../workflows/messages.ts'
import { AgentQueue, lockQueue } from './agent-queue.ts'
import { Run } from './run.ts'
import { unfinishedStatuses } from './states.ts'

/** How many agents are repaired in one round; the rest follow in the next. */
const batch = 50

/**
 * Queue rows that do not agree with their runs. Everything changes both in one transaction, so there are none, unless
 * somebody has changed the database by hand or restored a part of it.
 */
export function createContradictions({
  database,
  clock,
  logger,
}: {
  database: Database
  clock: Clock
  logger: Logger
}) {
  async function find(): Promise<AgentQueueInput[]> {
    const { rows } = await database.raw<{ rows: AgentQueueInput[] }>(
      `with open as (
         select agent_id, count(*)::int as unfinished, max(id) filter (where status in ('running', 'waiting')) as active
           from runs where status in ('queued', 'running', 'waiting') group by agent_id
       )
       select q.agent_id as "agentId", a.owner_id as "ownerId"
         from agent_queues q join agents a on a.id = q.agent_id left join open o on o.agent_id = q.agent_id
        where q.unfinished <> coalesce(o.unfinished, 0) or q.running_run_id is distinct from o.active
           or (not q.awake and (o.active is not null or (o.unfinished > 0 and q.blocked_cause is null)))
        limit ?`,
      [batch],
    )
    return rows
  }

  async function repairUnderLock(trx: Transaction, agentId: string): Promise<boolean> {
    const queue = await lockQueue(trx, agentId)
    const open = await Run.query(trx).where({ agentId }).whereIn('status', unfinishedStatuses).select('id', 'status')
    const active = open.find(({ status }) => status !== 'queued')?.id ?? null
    const causes = contradictionsOf(queue, open.length, active)
    if (causes.length === 0) return false
    const now = clock.now()
    const awake = { awake: true, progressedAt: now, signalledAt: now }
    await AgentQueue.query(trx)
      .findById(agentId)
      .patch({ unfinished: open.length, runningRunId: active, ...(open.length > 0 && !queue.blockedCause && awake) })
    logger.warn(
      { repair: 'record', cause: causes.join('; '), agentId, runId: active ?? undefined },
      'a queue row was brought in line with its runs',
    )
    return true
  }

  return {
    /** Brings queue rows in line with their runs, and returns the agents that are to be woken. */
    async repair(): Promise<AgentQueueInput[]> {
      const repaired: AgentQueueInput[] = []
      for (const agent of await find()) {
        if (await database.transaction((trx) => repairUnderLock(trx, agent.agentId))) repaired.push(agent)
      }
      return repaired
    },
  }
}

/** What is wrong with a queue row, in words. */
function contradictionsOf(queue: AgentQueue, unfinished: number, active: string | null): string[] {
  const { runningRunId, unfinished: counted, awake, blockedCause } = queue
  return [
    ...(runningRunId === active ? [] : [`the queue named ${runningRunId ?? 'no run'} as running`]),
    ...(counted === unfinished ? [] : [`the queue counted ${counted} unfinished runs, there are ${unfinished}`]),
    ...(awake || unfinished === 0 || (blockedCause && !active) ? [] : ['the queue was asleep although it has runs']),
  ]
}
