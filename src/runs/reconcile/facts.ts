import { Agent } from '../../agents/agent.ts'
import type { AccountStatus } from '../../billing/account-status.ts'
import { agentCreditsLeft } from '../../owners/workspace-months.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { ToolCall } from '../../tools/tool-call.ts'
import { AgentQueue } from '../agent-queue.ts'
import { Run } from '../run.ts'
import { unfinishedStatuses } from '../states.ts'
import { readContradictions } from './queue-consistency.ts'
import { isFreed, isParked } from '../step/waiting-calls.ts'

/** The record of an agent, as the reconciler needs it. */
export interface AgentFacts {
  now: Date
  agent: Pick<Agent, 'id' | 'ownerId' | 'name' | 'pausedAt' | 'deletedAt'> &
    // What is left of its monthly cap.
    Partial<Pick<Agent, 'creditsLeft'>>
  queue: AgentQueue
  /** How the queue row contradicts the runs, in words; null if consistent. */
  contradiction: string | null
  /** Number of unfinished runs without a cancel request. */
  uncancelled: number
  /** The begun run, and whether one of its calls waits for its owner to reconnect a site. */
  head: Run | null
  hasParkedCalls: boolean
  /** Whether one of its calls can continue while others still wait, for example after an approval. */
  hasFreedCalls: boolean
  /** Whether its model or fallback model may be tried again; null unless the run waits for that. */
  modelAnswers: boolean | null
  /** The oldest queued run. */
  next: Run | null
  /** The owner's account; null if nothing depends on it (`dependsOnAccount`). */
  account: Pick<AccountStatus, 'features' | 'subscription' | 'balance' | 'cap'> | null
}

export type RecordedFacts = Omit<AgentFacts, 'account'>

/** Whether the action depends on the owner's account: the queue is blocked, or the run waits for credits. */
export const dependsOnAccount = ({ queue, head }: RecordedFacts): boolean =>
  queue.blockedCause !== null || head?.waitingCause === 'credits'

/** Reads everything as of one moment. */
const snapshot = { isolationLevel: 'repeatable read', readOnly: true } as const

/** Reads the facts of the given agents that exist. */
export const readFacts = (database: Database, agentIds: string[], at: At): Promise<RecordedFacts[]> =>
  database.transaction((trx) => readFactsWithin(trx, agentIds, at), snapshot)

/** The time, and the default model. */
interface At {
  now: Date
  defaultModel: string
}

/** The same in the caller's transaction, which should be repeatable read. */
export async function readFactsWithin(trx: Transaction, agentIds: string[], at: At): Promise<RecordedFacts[]> {
  const { now } = at
  const columns = ['id', 'ownerId', 'name', 'pausedAt', 'deletedAt'] as const
  const agents = await Agent.query(trx)
    .findByIds(agentIds)
    .select(...columns, agentCreditsLeft(now))
  const queues = new Map((await AgentQueue.query(trx).findByIds(agentIds)).map((queue) => [queue.agentId, queue]))
  const open = new Map((await readOpen(trx, agentIds)).map((one) => [one.agentId, one]))
  const ids = [...open.values()].flatMap(({ headId, nextId }) => [headId, nextId].filter((id) => id !== null))
  const runs = new Map((await Run.query(trx).findByIds(ids)).map((run) => [run.id, run]))
  const parked = await readParked(trx, [...runs.values()])
  const freed = await readFreed(trx, [...runs.values()])
  const answering = await readAnswering(trx, [...runs.values()], at)
  const wrong = await readContradictions(trx, agentIds)
  return agents.flatMap((agent) => {
    const queue = queues.get(agent.id)
    if (!queue) return []
    const { uncancelled, headId, nextId } = open.get(agent.id) ?? none
    const contradiction = wrong.get(agent.id)?.cause ?? null
    const head = runs.get(headId ?? '') ?? null
    const next = runs.get(nextId ?? '') ?? null
    const calls = { hasParkedCalls: parked.has(headId ?? ''), hasFreedCalls: freed.has(headId ?? '') }
    const modelAnswers = head?.waitingCause === 'model' ? answering.has(head.id) : null
    return [{ now, agent, queue, contradiction, uncancelled, head, ...calls, modelAnswers, next }]
  })
}

interface Open {
  agentId: string
  uncancelled: number
  headId: string | null
  nextId: string | null
}

const none = { uncancelled: 0, headId: null, nextId: null }

/** Unfinished runs per agent: how many lack a cancel request, the begun one, and the next one. */
async function readOpen(trx: Transaction, agentIds: string[]): Promise<Open[]> {
  const { rows } = await trx.raw<{ rows: Open[] }>(
    `with open as (
       select agent_id, (count(*) filter (where cancel_requested_at is null))::int as uncancelled,
              (array_agg(id) filter (where status in ('running', 'waiting')))[1] as head_id,
              min(sequence) filter (where status = 'queued') as next_sequence
         from runs where agent_id = any(:agentIds) and status = any(:unfinishedStatuses) group by agent_id
     )
     select o.agent_id as "agentId", o.uncancelled, o.head_id as "headId", n.id as "nextId"
       from open o left join runs n on n.agent_id = o.agent_id and n.sequence = o.next_sequence`,
    { agentIds, unfinishedStatuses },
  )
  return rows
}

/** Runs with a call that waits for its owner to reconnect a site. */
async function readParked(trx: Transaction, runs: Run[]): Promise<Set<string>> {
  const waiting = runs.filter(({ waitingCause }) => waitingCause === 'credential')
  if (waiting.length === 0) return new Set()
  const ids = waiting.map(({ id }) => id)
  const parked = await ToolCall.query(trx)
    .alias('c')
    .whereIn('subjectId', ids)
    .whereIn('status', ['planned', 'started'])
    .whereRaw(isParked)
    .distinct('subjectId')
  return new Set(parked.map(({ subjectId }) => subjectId))
}

/** Runs that wait for an approval, a slot or a site's work, with at least one call that can continue. */
async function readFreed(trx: Transaction, runs: Run[]): Promise<Set<string>> {
  const waiting = runs.filter(({ waitingCause }) => mayHaveFreedCalls.has(waitingCause))
  if (waiting.length === 0) return new Set()
  const ids = waiting.map(({ id }) => id)
  const freed = await ToolCall.query(trx)
    .alias('c')
    .whereIn('subjectId', ids)
    .where({ status: 'planned' })
    .whereRaw(isFreed)
    .distinct('subjectId')
  return new Set(freed.map(({ subjectId }) => subjectId))
}

/** The causes of waits beside which a call may be free to be sent. */
export const mayHaveFreedCalls: ReadonlySet<Run['waitingCause']> = new Set(['approval', 'rate_limit', 'job'])

/** Runs that wait for a model and may try it, or the agent's fallback model, again. */
async function readAnswering(trx: Transaction, runs: Run[], at: At): Promise<Set<string>> {
  const ids = runs.filter(({ waitingCause }) => waitingCause === 'model').map(({ id }) => id)
  if (ids.length === 0) return new Set()
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(answeringStatement, { ids, ...at })
  return new Set(rows.map(({ id }) => id))
}

const answeringStatement = `
  select r.id from runs r
    left join lateral (select model, fallback_model from agent_prompts
                        where agent_id = r.agent_id and since_sequence <= r.sequence
                        order by since_sequence desc limit 1) p on true
    join lateral (values (r.waiting_for),
                         (case when r.fallback_since is null then p.fallback_model
                               when r.own_model_was_out then coalesce(p.model, :defaultModel) end)) as m (model)
      on m.model is not null
   where r.id = any(:ids::uuid[]) and (r.model_retry_at is null or r.model_retry_at <= :now)
     and not exists (select from model_outages o where o.model = m.model and o.ended_at is null)
   group by 1`
