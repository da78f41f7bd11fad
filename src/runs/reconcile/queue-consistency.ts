import type { Clock } from '../../clock.ts'
import { afterCommit } from '../../database/after-commit.ts'
import type { Transaction } from '../../database/database.ts'
import type { Logger } from '../../logger.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import { AgentQueue } from '../agent-queue.ts'

/** How a queue row contradicts its runs, in words, and its correct values. */
interface Contradiction {
  agentId: string
  cause: string
  unfinished: number
  active: string | null
  isBlocked: boolean
}

/**
 * Queue rows that contradict their runs. `filter` restricts the agents. Every transaction changes both, so this happens
 * only after manual changes or a partial restore.
 */
export const contradictions = (filter = ''): string => `
  select * from (
    select q.agent_id as "agentId", coalesce(o.unfinished, 0) as unfinished, o.active,
           q.blocked_cause is not null as "isBlocked",
           concat_ws('; ',
             case when q.running_run_id is distinct from o.active
               then format('the queue named %s as running', coalesce(q.running_run_id::text, 'no run')) end,
             case when q.unfinished <> coalesce(o.unfinished, 0)
               then format('the queue counted %s unfinished runs, there are %s', q.unfinished, coalesce(o.unfinished, 0)) end,
             case when not q.awake and o.unfinished > 0 and (q.blocked_cause is null or o.active is not null)
               then 'the queue was asleep although it has runs' end) as cause
      from agent_queues q
      left join (select agent_id, count(*)::int as unfinished,
                        (array_agg(id) filter (where status in ('running', 'waiting')))[1] as active
                   from runs where status in ('queued', 'running', 'waiting') ${filter && `and agent_id ${filter}`}
                  group by agent_id) o on o.agent_id = q.agent_id
     ${filter && `where q.agent_id ${filter}`}) c
   where cause <> ''`

/** Contradictions in these agents' queue rows, by agent id. */
export async function readContradictions(trx: Transaction, agentIds: string[]): Promise<Map<string, Contradiction>> {
  const { rows } = await trx.raw<{ rows: Contradiction[] }>(contradictions('= any(:agentIds)'), { agentIds })
  return new Map(rows.map((row) => [row.agentId, row]))
}

/** Corrects a locked queue row from its runs. True if its workflow must be woken. */
export async function correctQueue(
  trx: Transaction,
  { agentId }: AgentQueue,
  { clock, logger, metrics }: { clock: Clock; logger: Logger; metrics: Pick<Metrics, 'repairs'> },
): Promise<boolean> {
  const wrong = (await readContradictions(trx, [agentId])).get(agentId)
  if (!wrong) return false
  const { cause, unfinished, active, isBlocked } = wrong
  const now = clock.now()
  // A block stops runs from starting. It does not stop a begun run.
  const mustContinue = active !== null || (unfinished > 0 && !isBlocked)
  const unblocked = { blockedCause: null, blockedSince: null }
  const awake = mustContinue && { awake: true, progressedAt: now, signalledAt: now, ...unblocked }
  await AgentQueue.query(trx)
    .findById(agentId)
    .patch({ unfinished, runningRunId: active, ...awake })
  const about = { repair: 'record', cause, agentId, runId: active ?? undefined }
  afterCommit(trx, () => metrics.repairs.inc({ kind: about.repair }))
  logger.warn(about, 'repaired an inconsistent queue')
  return mustContinue
}
