import type { Database, Transaction } from '../../database/database.ts'
import type { EndReason } from '../states.ts'

/** A range of sequences, inclusive. */
export interface Sequences {
  from: number
  to: number
}

/** A failed run of a delivery. */
export interface FailedDelivery {
  id: string
  sequence: number
  endedAt: Date
  reason: EndReason | null
  /** Length of its payload; null if purged. */
  bytes: number | null
}

/** How a run relates to the other runs of its delivery. */
export interface ReplayState {
  id: string
  /** The first run of the delivery. */
  firstRunId: string
  /** Whether another run of the delivery is later or has not failed. */
  isReplayed: boolean
  /** Whether a run of the delivery made a call that is unsafe to repeat, or was purged, which leaves that unknown. */
  hasActed: boolean
}

/** An agent's failed deliveries, by sequence. */
export async function failedDeliveries(
  db: Database,
  agentId: string,
  { from, to, most }: Sequences & { most: number },
): Promise<FailedDelivery[]> {
  const { rows } = await db.raw<{ rows: FailedDelivery[] }>(failedStatement, { agentId, from, to, most })
  return rows
}

/** Standings of these runs. Exact only under their queue's lock: without it, a run may be replayed at any time. */
export async function replayStatesOf(db: Database | Transaction, ids: string[]): Promise<Map<string, ReplayState>> {
  const { rows } = await db.raw<{ rows: ReplayState[] }>(replayStateStatement, { ids })
  return new Map(rows.map((row) => [row.id, row]))
}

/** Postgres knows a payload's length without reading it. */
const failedStatement = `
  select f.id, f.sequence, f.ended_at as "endedAt", f.reason, octet_length(i.payload) as bytes
    from (select id, sequence, ended_at, reason from runs
           where agent_id = :agentId and status = 'failed' and trigger = 'webhook' and sequence between :from and :to
           order by sequence limit :most) f
    left join run_inputs i on i.run_id = f.id
   order by f.sequence`

/** A delivery has its first run and all direct and indirect replays of it. */
const replayStateStatement = `
  with asked as (
    select r.id, r.sequence, coalesce(r.first_run_id, r.id) as first_run_id from runs r where r.id = any(:ids::uuid[])
  ), firsts as (
    select distinct first_run_id from asked
  ), family as (
    select f.first_run_id, r.id, r.sequence, r.status from firsts f join runs r on r.id = f.first_run_id
     union all
    select f.first_run_id, r.id, r.sequence, r.status from firsts f join runs r on r.first_run_id = f.first_run_id
  ), deliveries as (
    select f.first_run_id, max(f.sequence) as latest,
           bool_or(f.status not in ('failed', 'cancelled', 'skipped')) as has_others,
           not bool_or(f.id = f.first_run_id) or bool_or(exists (
             select from tool_calls c
              where c.subject_id = f.id and c.effect = 'once' and (c.in_doubt or c.status in ('started', 'succeeded', 'unknown'))
           )) as has_acted
      from family f group by f.first_run_id
  )
  select a.id, a.first_run_id as "firstRunId", d.latest > a.sequence or d.has_others as "isReplayed",
         d.has_acted as "hasActed"
    from asked a join deliveries d on d.first_run_id = a.first_run_id`
