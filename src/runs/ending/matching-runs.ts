import type { Database } from '../../database/database.ts'
import { widened } from '../../database/paging.ts'
import { firstIdAt, leastId } from '../../ids.ts'
import { triggers, type Run } from '../run.ts'
import type { RunStatus } from '../states.ts'

/** Selects unfinished runs of an owner. */
export interface UnfinishedFilter {
  agentId?: string | undefined
  status?: RunStatus | undefined
  trigger?: Run['trigger'] | undefined
  /** Inclusive. */
  acceptedSince?: Date | undefined
  /** Exclusive. */
  acceptedUntil?: Date | undefined
}

export type OwnedRun = Pick<Run, 'id' | 'agentId' | 'ownerId'>

/** An owner's matching runs in one of these states, oldest first, without runs that are already being cancelled. */
export async function matchingRuns(
  database: Database,
  ownerId: string,
  { agentId, status, trigger, acceptedSince: since, acceptedUntil: until }: UnfinishedFilter,
  { statuses, most }: { statuses: readonly RunStatus[]; most: number },
): Promise<OwnedRun[]> {
  const range = widened({ since, until })
  const keys = {
    from: range.since ? firstIdAt(range.since) : leastId,
    before: range.until ? firstIdAt(range.until) : greatestId,
  }
  const wanted = {
    ...(agentId === undefined ? keys : { agentId, from: 0, before: Number.MAX_SAFE_INTEGER }),
    ownerId,
    statuses: statuses.filter((one) => status === undefined || one === status),
    triggers: triggers.filter((one) => trigger === undefined || one === trigger),
    since: since ?? null,
    until: until ?? null,
    most,
  }
  return database.transaction(async (trx) => {
    // Without statistics of the moment, the planner sorts what a bitmap of another index finds: all runs of a status.
    await trx.raw('set local enable_bitmapscan = off; set local enable_sort = off')
    const { rows } = await trx.raw<{ rows: OwnedRun[] }>(agentId === undefined ? ofOwner : ofAgent, wanted)
    return rows
  })
}

const greatestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/**
 * Reads a few runs of each pair of state and trigger, in the order of its index. The comparison of rows and the long
 * order match that index alone: the planner would expect matches everywhere, and read the oldest runs of all.
 */
const oldest = (condition: string, key: 'id' | 'sequence', type: 'uuid' | 'bigint'): string => `
  select r.id, r.agent_id as "agentId", r.owner_id as "ownerId"
    from unnest(:statuses::run_status[]) s (status) cross join unnest(:triggers::run_trigger[]) t (trigger)
   cross join lateral (
     select id, agent_id, owner_id, sequence from runs
      where ${condition} and (status, trigger, ${key}) >= (s.status, t.trigger, :from::${type})
        and (status, trigger, ${key}) < (s.status, t.trigger, :before::${type}) and cancel_requested_at is null
        and (:since::timestamptz is null or accepted_at >= :since) and (:until::timestamptz is null or accepted_at < :until)
      order by status, trigger, ${key} limit :most
   ) r
   order by r.${key} limit :most`

const ofOwner = oldest('owner_id = (select :ownerId::uuid)', 'id', 'uuid')

/** Its queue has at most QUEUE_DEPTH unfinished runs. An agent moves only without them, so they are its owner's. */
const ofAgent = oldest(
  'agent_id = (select a.id from agents a where a.id = :agentId and a.owner_id = :ownerId)',
  'sequence',
  'bigint',
)
