import { Agent } from '../agents/agent.ts'
import { later } from '../clock.ts'
import type { Transaction } from '../database/database.ts'
import { agentCreditsLeft } from '../owners/workspace-months.ts'
import type { AgentState, FirstRun } from './agent-state.ts'
import { judgedRuns, type Ending } from './failing.ts'
import { longestSilenceDays, shortestSilence, type Deliveries } from './silence.ts'

/*
 * What an answer reads about the owner's agents. An owner may have thousands of agents and millions of runs, so every
 * statement follows an index and reads a bounded number of rows per agent.
 */

/** Agents: the newest. */
const mostAgents = 1000
/** Latest runs of an agent that are read to find those that count. */
const mostPassed = 30
/** Deliveries of an agent that are read for each week. Of more, a regular sample is read. */
const mostDeliveries = 48

/** The owner's agents with their queues, newest first, without their first runs. */
const agentsOf = (trx: Transaction, ownerId: string, now: Date) =>
  Agent.query(trx)
    .join('agentQueues as q', 'q.agentId', 'agents.id')
    .where('agents.ownerId', ownerId)
    .whereNull('agents.deletedAt')
    .select(...agentColumns, agentCreditsLeft(now))
    .orderBy('agents.id', 'desc')
    .limit(mostAgents)
    .castTo<Omit<AgentState, 'first'>[]>()

const agentColumns = [
  ...['id', 'ownerId', 'name', 'trigger', 'model', 'pausedAt', 'pausedReason', 'exceedingSince', 'movedSequence'].map(
    (column) => `agents.${column}`,
  ),
  ...['unfinished', 'lastSequence', 'blockedCause', 'blockedSince'].map((column) => `q.${column}`),
]

/** The owner's agents with their queues and their first unfinished runs, newest first. */
export async function readAgents(trx: Transaction, ownerId: string, now: Date): Promise<AgentState[]> {
  const agents = await agentsOf(trx, ownerId, now)
  const agentIds = agents.filter(({ unfinished }) => unfinished > 0).map(({ id }) => id)
  const { rows } = await trx.raw<{ rows: FirstRun[] }>(firstStatement, { agentIds })
  const firsts = new Map(rows.map((run) => [run.agentId, run]))
  return agents.map((agent) => ({ ...agent, first: firsts.get(agent.id) ?? null }))
}

const firstStatement = `
  select r.id, r.agent_id as "agentId", r.sequence, r.trigger, r.status, r.accepted_at as "acceptedAt",
         r.started_at as "startedAt", r.waiting_cause as "waitingCause", r.waiting_for as "waitingFor",
         r.waiting_since as "waitingSince", r.waiting_until as "waitingUntil"
    from unnest(:agentIds::uuid[]) as a (id)
   cross join lateral (select * from runs
                        where agent_id = a.id and status in ('queued', 'running', 'waiting')
                        order by sequence limit 1) r`

/** Only failures of the last two weeks count. */
const failureSeconds = 14 * 86_400

/** The latest endings of each agent, newest first. Runs end in the order of their sequence. */
export async function readEndings(
  trx: Transaction,
  agents: readonly AgentState[],
  now: Date,
): Promise<Map<string, Ending[]>> {
  const bindings = { ...placesOf(agents), mostPassed, judgedRuns, since: later(now, -failureSeconds) }
  const { rows } = await trx.raw<{ rows: (Ending & { agentId: string })[] }>(endingsStatement, bindings)
  return Map.groupBy(rows, ({ agentId }) => agentId)
}

/** The ids of agents, and the sequences between which their present owner's ended runs are. */
const placesOf = (agents: readonly AgentState[]) => ({
  agentIds: agents.map(({ id }) => id),
  moved: agents.map(({ movedSequence }) => movedSequence ?? 0),
  ends: agents.map(({ first, lastSequence }) => first?.sequence ?? lastSequence + 1),
})

const places = 'unnest(:agentIds::uuid[], :moved::bigint[], :ends::bigint[]) as a (id, moved, ends)'

const endingsStatement = `
  select a.id as "agentId", r.id as "runId", r.status, r.reason, r.ended_at as "endedAt"
    from ${places}
   cross join lateral (
     select * from (select id, sequence, status, reason, ended_at from runs
                     where agent_id = a.id and sequence > a.moved and sequence < a.ends
                     order by sequence desc limit :mostPassed) latest
      where status in ('completed', 'failed') and ended_at >= :since
      order by sequence desc limit :judgedRuns) r
   order by a.id, r.sequence desc`

interface DeliveryRow {
  agentId: string
  lastAt: Date
  weeks: 1 | 2
  at: Date
}

/**
 * Deliveries to agents that have been quiet for some hours, by agent: the latest, and those in the same time one and two
 * weeks before. Runs have no index by time. But sequences follow the time, so a binary search finds where a time begins.
 */
export async function readDeliveries(
  trx: Transaction,
  agents: readonly AgentState[],
  now: Date,
): Promise<Map<string, Deliveries>> {
  if (agents.length === 0) return new Map()
  const quietSince = later(now, -shortestSilence * 3600)
  const earliest = later(now, -longestSilenceDays * 86_400)
  const bindings = { ...placesOf(agents), now, mostPassed, mostDeliveries, quietSince, earliest }
  const { rows } = await trx.raw<{ rows: DeliveryRow[] }>(deliveriesStatement, bindings)
  const byAgent = [...Map.groupBy(rows, ({ agentId }) => agentId)]
  return new Map(byAgent.map(([agentId, found]) => [agentId, deliveriesOf(found, now)]))
}

function deliveriesOf(rows: readonly DeliveryRow[], now: Date): Deliveries {
  const timesOf = (of: number) => rows.filter(({ weeks }) => weeks === of).map(({ at }) => at)
  return { now, lastAt: rows[0]?.lastAt ?? now, oneWeekBefore: timesOf(1), twoWeeksBefore: timesOf(2) }
}

const isDelivery = `trigger = 'webhook' and replay_of is null`

const deliveriesStatement = `
  with recursive quiet as (
    select a.id, a.moved, a.ends, last.accepted_at as last_at,
           least(:now::timestamptz, last.accepted_at + interval '7 days') as quiet_until
      from ${places}
     cross join lateral (
       select accepted_at from (select sequence, accepted_at, trigger, replay_of from runs
                                 where agent_id = a.id and sequence > a.moved and sequence < a.ends
                                 order by sequence desc limit :mostPassed) latest
        where ${isDelivery} order by sequence desc limit 1) last
     where last.accepted_at between :earliest and :quietSince
  ), search (id, weeks, edge, at, low, high) as (
    select q.id, w.weeks, e.edge, e.at - w.weeks * interval '7 days', q.moved + 1, q.ends
      from quiet q cross join generate_series(1, 2) as w (weeks)
     cross join lateral (values ('from', q.last_at), ('until', q.quiet_until)) as e (edge, at)
    union all
    select s.id, s.weeks, s.edge, s.at, case when r.accepted_at < s.at then r.sequence + 1 else s.low end,
           case when r.accepted_at < s.at then s.high else m.middle end
      from search s
     cross join lateral (select (s.low + s.high) / 2 as middle) m
      left join lateral (select sequence, accepted_at from runs
                          where agent_id = s.id and sequence >= m.middle and sequence < s.high
                          order by sequence limit 1) r on true
     where s.low < s.high
  ), weeks as (
    select id, weeks, max(low) filter (where edge = 'from') as low, max(low) filter (where edge = 'until') as high
      from search where low >= high group by id, weeks
  )
  select w.id as "agentId", q.last_at as "lastAt", w.weeks, r.accepted_at as at
    from weeks w join quiet q on q.id = w.id
   cross join lateral generate_series(0, least(w.high - w.low, :mostDeliveries) - 1) as n
    join lateral (select accepted_at, trigger, replay_of from runs
                   where agent_id = w.id
                     and sequence = w.low + n * (w.high - w.low) / least(w.high - w.low, :mostDeliveries)) r
      on ${isDelivery}`
