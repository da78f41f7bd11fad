import type { Transaction } from '../../database/database.ts'
import { endReasons } from '../states.ts'
import { withoutDefaults } from '../default-event-data.ts'
import { isNew, type Decision, type Queue } from './decision.ts'
import type { AcceptRequest, Receipt } from './receipt.ts'
import { toColumn } from '../../database/any-text.ts'

/** Writes the accepted runs, their first events and their queues. Returns the queues with their previous `awake`. */
export async function store(
  trx: Transaction,
  { now, due }: { now: Date; due: Date },
  requests: AcceptRequest[],
  decisions: Decision[],
  queues: Map<string, Queue>,
): Promise<Queue[]> {
  const fresh = requests.flatMap((request, index) => {
    const decision = decisions[index] as Decision
    return isNew(decision) ? [{ request, receipt: decision.receipt }] : []
  })
  if (fresh.length === 0) return []
  const changed = [...new Set(fresh.map(({ request }) => request.agentId))].map((id) => queues.get(id) as Queue)
  const owner = (agentId: string) => (queues.get(agentId) as Queue).ownerId
  await trx.raw(storeStatement, {
    now,
    due,
    ids: fresh.map(({ receipt }) => receipt.runId),
    agents: fresh.map(({ request }) => request.agentId),
    owners: fresh.map(({ request }) => owner(request.agentId)),
    sequences: fresh.map(({ receipt }) => receipt.sequence),
    triggers: fresh.map(({ request }) => request.trigger),
    payloads: fresh.map(({ request }) => request.payload ?? null),
    actions: fresh.map(({ request: { action } }) => (action === undefined ? null : toColumn(action))),
    headers: fresh.map(({ request }) => (request.headers ? JSON.stringify(request.headers) : null)),
    hashes: fresh.map(({ request }) => request.bodyHash ?? null),
    keys: fresh.map(({ request }) => request.idempotencyKey ?? null),
    requests: fresh.map(({ request }) => request.requestId),
    statuses: fresh.map(({ receipt }) => receipt.status),
    replays: fresh.map(({ request }) => request.replayOf ?? null),
    ...columnsOf(fresh.flatMap(({ request, receipt }) => eventsOf(request, receipt))),
    reason: 'OVERLAP',
    error: endReasons.OVERLAP,
    queues: changed.map(({ agentId }) => agentId),
    lasts: changed.map(({ lastSequence }) => lastSequence),
    unfinished: changed.map(({ unfinished }) => unfinished),
  })
  return changed
}

/** A run's first events: one, or two if it is accepted as skipped. */
function eventsOf({ trigger, replayOf }: AcceptRequest, { runId, sequence, ahead, status }: Receipt): FirstEvent[] {
  const accepted = { trigger, sequence, ahead, ...(replayOf !== undefined && { replayOf }) }
  const first = { runId, number: 1, kind: 'accepted', data: JSON.stringify(withoutDefaults('accepted', accepted)) }
  if (status !== 'skipped') return [first]
  const ended = { status, reason: 'OVERLAP', message: endReasons.OVERLAP }
  return [first, { runId, number: 2, kind: 'ended', data: JSON.stringify(withoutDefaults('ended', ended)) }]
}

interface FirstEvent {
  runId: string
  number: number
  kind: string
  data: string
}

const columnsOf = (events: FirstEvent[]) => ({
  eventRuns: events.map(({ runId }) => runId),
  eventNumbers: events.map(({ number }) => number),
  eventKinds: events.map(({ kind }) => kind),
  eventData: events.map(({ data }) => data),
})

/** One statement, because each further one costs a round trip. */
const storeStatement = `
  with accepted as (
    insert into runs (id, agent_id, owner_id, sequence, trigger, status, request_id, replay_of, first_run_id,
                      accepted_at, progressed_at, events, ended_at, reason, error)
    select id, agent_id, owner_id, sequence, trigger, status, request_id, replay_of,
           case when replay_of is not null
                then coalesce((select r.first_run_id from runs r where r.id = t.replay_of), replay_of) end,
           :now::timestamptz, :now::timestamptz,
           case when status = 'skipped' then 2 else 1 end,
           case when status = 'skipped' then :now::timestamptz end,
           case when status = 'skipped' then :reason end,
           case when status = 'skipped' then :error end
      from unnest(:ids::uuid[], :agents::uuid[], :owners::uuid[], :sequences::bigint[], :triggers::run_trigger[],
                  :statuses::run_status[], :requests::text[], :replays::uuid[])
        as t (id, agent_id, owner_id, sequence, trigger, status, request_id, replay_of)
  ), given as (
    insert into run_inputs (run_id, payload, action, headers)
    select id, payload, action, headers::json
      from unnest(:ids::uuid[], :payloads::text[], :actions::text[], :headers::text[]) as t (id, payload, action, headers)
     where payload is not null
  ), keyed as (
    insert into idempotency_keys (agent_id, key, run_id, body_hash)
    select agent_id, key, id, decode(hash, 'hex')
      from unnest(:agents::uuid[], :keys::text[], :ids::uuid[], :hashes::text[]) as t (agent_id, key, id, hash)
     where key is not null
  ), noted as (
    insert into run_events (run_id, number, kind, at, data)
    select run_id, number, kind, :now::timestamptz, data::json
      from unnest(:eventRuns::uuid[], :eventNumbers::int[], :eventKinds::run_event_kind[], :eventData::text[])
        as t (run_id, number, kind, data)
  ), due as (
    -- in case the signal after the commit is lost
    insert into due_agents (agent_id, due_at)
    select q.agent_id, :due::timestamptz from agent_queues q
     where q.agent_id = any(:queues::uuid[]) and not q.awake and q.blocked_cause is null
  )
  update agent_queues q
     set last_sequence = t.last_sequence, unfinished = t.unfinished,
         awake = q.awake or (t.unfinished > 0 and q.blocked_cause is null),
         progressed_at = case when q.awake then q.progressed_at else :now::timestamptz end,
         signalled_at = case when q.awake then q.signalled_at else :now::timestamptz end
    from unnest(:queues::uuid[], :lasts::bigint[], :unfinished::int[]) as t (agent_id, last_sequence, unfinished)
   where q.agent_id = t.agent_id`
