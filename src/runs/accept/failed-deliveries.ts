import type { Database, Transaction } from '../../database/database.ts'
import type { EndReason } from '../states.ts'

/** Runs of deliveries by their sequences, both included. */
export interface Sequences {
  from: number
  to: number
}

/** A run of a delivery that has failed. */
export interface FailedDelivery {
  id: string
  sequence: number
  endedAt: Date
  reason: EndReason | null
  /** How long its payload is; null if that is purged. */
  bytes: number | null
}

/** How a run stands to the other runs of its delivery. */
export interface DeliveryStanding {
  id: string
  /** The first run of the delivery. */
  firstRunId: string
  /** Another run of the delivery is later, or has not failed. */
  isReplayed: boolean
  /** A run of the delivery made a call whose repetition could do twice what it did, or is purged, so nobody knows. */
  hasActed: boolean
}

/** The failed deliveries of an agent, in the order of their sequences. */
export async function failedDeliveries(
  db: Database,
  agentId: string,
  { from, to, most }: Sequences & { most: number },
): Promise<FailedDelivery[]> {
  const { rows } = await db.raw<{ rows: FailedDelivery[] }>(failedStatement, { agentId, from, to, most })
  return rows
}

/** Where these runs stand. Exact under the lock of their queue: without it, one may be replayed at any time. */
export async function standingsOf(db: Database | Transaction, ids: string[]): Promise<Map<string, DeliveryStanding>> {
  const { rows } = await db.raw<{ rows: DeliveryStanding[] }>(standingStatement, { ids })
  return new Map(rows.map((row) => [row.id, row]))
}

/** The length of a payload is known without reading it. */
const failedStatement = `
  select f.id, f.sequence, f.ended_at as "endedAt", f.reason, octet_length(i.payload) as bytes
    from (select id, sequence, ended_at, reason from runs
           where agent_id = :agentId and status = 'failed' and trigger = 'webhook' and sequence between :from and :to
           order by sequence limit :most) f
    left join run_inputs i on i.run_id = f.id
   order by f.sequence`

/** A delivery has its first run and the replays of it, and of these. */
const standingStatement = `
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
             select from run_tool_calls c
              where c.run_id = f.id and c.effect = 'once' and (c.in_doubt or c.status in ('started', 'succeeded', 'unknown'))
           )) as has_acted
      from family f group by f.first_run_id
  )
  select a.id, a.first_run_id as "firstRunId", d.latest > a.sequence or d.has_others as "isReplayed",
         d.has_acted as "hasActed"
    from asked a join deliveries d on d.first_run_id = a.first_run_id`
