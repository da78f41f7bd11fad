import type { Database } from '../../database/database.ts'
import type { EndReason } from '../states.ts'

/** Selects failed runs by the time at which they ended. */
export interface FailureFilter {
  /** Only runs of this agent, if it belongs to the owner. */
  agentId?: string | undefined
  /** Inclusive. */
  since: Date
  /** Exclusive. */
  until?: Date | undefined
}

/** Failed runs of one agent with one reason. */
interface FailureGroup {
  agentId: string
  /** Null if the agent has moved to another owner. */
  agentName: string | null
  reason: EndReason
  /** The error of the last run. */
  message: string
  count: number
  firstEndedAt: Date
  lastEndedAt: Date
  lastRunId: string
}

export interface RunFailures {
  /** The group with the latest failure first. */
  items: FailureGroup[]
  /** Whether they include every failed run that the filter selects. */
  isComplete: boolean
}

/** The most failed runs that one request reads, latest first, and the most groups that it returns. */
export const mostFailures = 10_000
export const mostGroups = 100

/**
 * An owner's failed runs, grouped by agent and reason. Cancelled and skipped runs are not failures: a person, the sender
 * or the schedule decided about them.
 */
export async function runFailures(
  database: Database,
  ownerId: string,
  { agentId = null, since, until = null }: Nullable<FailureFilter>,
): Promise<RunFailures> {
  const bindings = { ownerId, agentId, since, until, mostFailures, mostGroups }
  const { rows } = await database.transaction(async (trx) => {
    // Where the planner expects few failures, it would read and sort all of them, and there may be millions.
    await trx.raw('set local enable_bitmapscan = off; set local enable_seqscan = off')
    return trx.raw<{ rows: Row[] }>(agentId === null ? ofOwner : ofAgent, bindings)
  })
  const { read = 0, groups = 0 } = rows[0] ?? {}
  const items = rows.map(({ read: _read, groups: _groups, ...group }) => group)
  return { items, isComplete: read < mostFailures && groups <= mostGroups }
}

type Nullable<T> = { [Name in keyof T]: T[Name] | null }
type Row = FailureGroup & { read: number; groups: number }

/** The latest failed runs. Both conditions have an index in the order of `ended_at`. */
const latest = (condition: string): string => `
  select id, agent_id, sequence, reason, ended_at from runs
   where ${condition} and status = 'failed' and ended_at >= :since and ended_at < coalesce(:until::timestamptz, 'infinity')
   order by ended_at desc limit :mostFailures`

/** Runs from before a move belong to the previous owner. They are older, so filtering them leaves no gap. */
const latestOfAgent = `
  select r.* from agents a cross join lateral (${latest('agent_id = a.id')}) r
   where a.id = :agentId and a.owner_id = :ownerId and r.sequence > coalesce(a.moved_sequence, 0)`

const grouped = (runs: string): string => `
  with grouped as (
    select agent_id, reason, count(*)::int as count, min(ended_at) as first_at, max(ended_at) as last_at,
           (array_agg(id order by ended_at desc))[1] as last_id,
           (sum(count(*)) over ())::int as read, (count(*) over ())::int as groups
      from (${runs}) latest group by agent_id, reason
     order by max(ended_at) desc limit :mostGroups
  )
  select g.agent_id as "agentId", a.name as "agentName", g.reason, r.error as message, g.count, g.first_at as "firstEndedAt",
         g.last_at as "lastEndedAt", g.last_id as "lastRunId", g.read, g.groups
    from grouped g join runs r on r.id = g.last_id
    -- The name of an agent that was moved away is its present owner's.
    left join agents a on a.id = g.agent_id and a.owner_id = r.owner_id
   order by g.last_at desc, g.agent_id, g.reason`

const ofOwner = grouped(latest('owner_id = (select :ownerId::uuid)'))
const ofAgent = grouped(latestOfAgent)
