import type { Transaction } from '../../database/database.ts'
import { CodedError } from '../../errors.ts'
import { newId } from '../../ids.ts'
import type { BlockedCause } from '../agent-queue.ts'
import type { AcceptRequest, Receipt } from './receipt.ts'
import { queueFull } from '../queue/depth.ts'
import { endReasons, type RunStatus } from '../states.ts'

/** A queue row as it was read, and as the batch changes it; `awake` stays what it was. */
export interface Queue {
  agent_id: string
  owner_id: string
  last_sequence: number
  unfinished: number
  awake: boolean
  /** What keeps the queue from being started; it is not woken then. */
  blocked_cause: BlockedCause | null
}

interface Known {
  id: string
  agent_id: string
  idempotency_key: string
  body_hash: string | null
  sequence: number
  status: RunStatus
  ahead: number
}

export type Decision = { receipt: Receipt; isNew: boolean } | { error: CodedError }

/** Locks the queue rows in the order of their ids, so that two processes never wait for each other in a circle. */
export async function lockQueues(trx: Transaction, agentIds: string[]): Promise<Map<string, Queue>> {
  const { rows } = await trx.raw<{ rows: Queue[] }>(
    `select q.agent_id, a.owner_id, q.last_sequence, q.unfinished, q.awake, q.blocked_cause
       from agent_queues q join agents a on a.id = q.agent_id
      where q.agent_id = any(?) and a.deleted_at is null
      order by q.agent_id for update of q`,
    [agentIds],
  )
  return new Map(rows.map((row) => [row.agent_id, row]))
}

const keyOf = (agentId: string, key: string): string => `${agentId} ${key}`

/** The runs that were accepted earlier under the idempotency keys of this batch. */
export async function findKnown(trx: Transaction, requests: AcceptRequest[]): Promise<Map<string, Known>> {
  const keyed = requests.filter(({ idempotencyKey }) => idempotencyKey !== undefined)
  if (keyed.length === 0) return new Map()
  const { rows } = await trx.raw<{ rows: Known[] }>(
    `select r.id, r.agent_id, r.idempotency_key, r.body_hash, r.sequence, r.status,
            (select count(*)::int from runs f where f.agent_id = r.agent_id and f.sequence < r.sequence
                and f.status in ('queued', 'running', 'waiting')) as ahead
       from unnest(?::text[], ?::text[]) as given (agent_id, key)
       join runs r on r.agent_id = given.agent_id and r.idempotency_key = given.key`,
    [keyed.map(({ agentId }) => agentId), keyed.map(({ idempotencyKey }) => idempotencyKey ?? '')],
  )
  return new Map(rows.map((row) => [keyOf(row.agent_id, row.idempotency_key), row]))
}

/** Decides on one request under its queue's lock, and notes in the queue and the known keys what it decided. */
export function decide(
  request: AcceptRequest,
  queue: Queue | undefined,
  known: Map<string, Known>,
  depth: number,
): Decision {
  if (!queue) return { error: new CodedError('AGENT_NOT_FOUND') }
  const { agentId, idempotencyKey } = request
  const earlier = idempotencyKey === undefined ? undefined : known.get(keyOf(agentId, idempotencyKey))
  if (earlier) return repeated(request, earlier)
  if (request.onlyIfIdle && queue.unfinished > 0) return { error: new CodedError('AGENT_ALREADY_RUNNING') }
  const skipped = request.skipUnlessIdle === true && queue.unfinished > 0
  if (queue.unfinished >= depth && !skipped) return { error: queueFull(depth) }
  const receipt: Receipt = {
    runId: newId(),
    status: skipped ? 'skipped' : 'queued',
    sequence: queue.last_sequence + 1,
    ahead: queue.unfinished,
  }
  queue.last_sequence += 1
  if (!skipped) queue.unfinished += 1
  if (idempotencyKey !== undefined) known.set(keyOf(agentId, idempotencyKey), remember(request, receipt))
  return { receipt, isNew: true }
}

/** The receipt that an earlier request under the same key got; VALIDATION_ERROR when that had another body. */
export function repeatedReceipt(request: AcceptRequest, known: Map<string, Known>): Receipt | undefined {
  const earlier = known.get(keyOf(request.agentId, request.idempotencyKey ?? ''))
  if (!earlier) return undefined
  const decision = repeated(request, earlier)
  if ('error' in decision) throw decision.error
  return decision.receipt
}

function repeated(request: AcceptRequest, earlier: Known): Decision {
  if ((request.bodyHash ?? null) === earlier.body_hash) {
    const { id, status, sequence, ahead } = earlier
    return { receipt: { runId: id, status, sequence, ahead }, isNew: false }
  }
  const message = `The idempotency key was used before, by run ${earlier.id}, and not for this very body. Use a new key.`
  const path = request.keyPlace ?? 'Idempotency-Key'
  return { error: new CodedError('VALIDATION_ERROR', { message, details: [{ path, message }] }) }
}

const remember = (request: AcceptRequest, { runId, status, sequence, ahead }: Receipt): Known => ({
  id: runId,
  agent_id: request.agentId,
  idempotency_key: request.idempotencyKey ?? '',
  body_hash: request.bodyHash ?? null,
  sequence,
  status,
  ahead,
})

/** Writes the accepted runs, their first events and their queues; returns the queues as they were before, awake or not. */
export async function store(
  trx: Transaction,
  { now, due }: { now: Date; due: Date },
  requests: AcceptRequest[],
  decisions: Decision[],
  queues: Map<string, Queue>,
): Promise<Queue[]> {
  const fresh = requests.flatMap((request, index) => {
    const decision = decisions[index] as Decision
    return 'receipt' in decision && decision.isNew ? [{ request, receipt: decision.receipt }] : []
  })
  if (fresh.length === 0) return []
  const changed = [...new Set(fresh.map(({ request }) => request.agentId))].map((id) => queues.get(id) as Queue)
  const owner = (agentId: string) => (queues.get(agentId) as Queue).owner_id
  await trx.raw(storeStatement, {
    now,
    due,
    ids: fresh.map(({ receipt }) => receipt.runId),
    agents: fresh.map(({ request }) => request.agentId),
    owners: fresh.map(({ request }) => owner(request.agentId)),
    sequences: fresh.map(({ receipt }) => receipt.sequence),
    triggers: fresh.map(({ request }) => request.trigger),
    payloads: fresh.map(({ request }) => request.payload ?? null),
    hashes: fresh.map(({ request }) => request.bodyHash ?? null),
    keys: fresh.map(({ request }) => request.idempotencyKey ?? null),
    requests: fresh.map(({ request }) => request.requestId),
    statuses: fresh.map(({ receipt }) => receipt.status),
    replays: fresh.map(({ request }) => request.replayOf ?? null),
    ...columnsOf(fresh.flatMap(({ request, receipt }) => eventsOf(request, receipt))),
    reason: 'OVERLAP',
    error: endReasons.OVERLAP,
    queues: changed.map(({ agent_id }) => agent_id),
    lasts: changed.map(({ last_sequence }) => last_sequence),
    unfinished: changed.map(({ unfinished }) => unfinished),
  })
  return changed
}

/** The first events of a run: one, or two for a run that is skipped by being accepted. */
function eventsOf({ trigger, replayOf }: AcceptRequest, { runId, sequence, ahead, status }: Receipt): FirstEvent[] {
  const accepted = { trigger, sequence, ahead, ...(replayOf !== undefined && { replayOf }) }
  const first = { runId, number: 1, kind: 'accepted', data: JSON.stringify(accepted) }
  if (status !== 'skipped') return [first]
  const ended = { status, reason: 'OVERLAP', message: endReasons.OVERLAP }
  return [first, { runId, number: 2, kind: 'ended', data: JSON.stringify(ended) }]
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

/** Runs, their first events and their queues in one statement: each further one would be a round trip per batch. */
const storeStatement = `
  with accepted as (
    insert into runs (id, agent_id, owner_id, sequence, trigger, status, payload, body_hash, idempotency_key,
                      request_id, replay_of, accepted_at, progressed_at, events, ended_at, reason, error)
    select id, agent_id, owner_id, sequence, trigger, status, payload, body_hash, idempotency_key,
           request_id, replay_of, :now::timestamptz, :now::timestamptz,
           case when status = 'skipped' then 2 else 1 end,
           case when status = 'skipped' then :now::timestamptz end,
           case when status = 'skipped' then :reason end,
           case when status = 'skipped' then :error end
      from unnest(:ids::text[], :agents::text[], :owners::text[], :sequences::bigint[], :triggers::text[],
                  :statuses::text[], :payloads::text[], :hashes::text[], :keys::text[], :requests::text[],
                  :replays::text[])
        as t (id, agent_id, owner_id, sequence, trigger, status, payload, body_hash, idempotency_key, request_id,
              replay_of)
  ), noted as (
    insert into run_events (run_id, number, kind, at, data)
    select run_id, number, kind, :now::timestamptz, data::json
      from unnest(:eventRuns::text[], :eventNumbers::int[], :eventKinds::text[], :eventData::text[])
        as t (run_id, number, kind, data)
  ), due as (
    -- should the signal that follows the commit be lost
    insert into due_agents (agent_id, due_at)
    select q.agent_id, :due::timestamptz from agent_queues q
     where q.agent_id = any(:queues::text[]) and not q.awake and q.blocked_cause is null
  )
  update agent_queues q
     set last_sequence = t.last_sequence, unfinished = t.unfinished,
         awake = q.awake or (t.unfinished > 0 and q.blocked_cause is null),
         progressed_at = case when q.awake then q.progressed_at else :now::timestamptz end,
         signalled_at = case when q.awake then q.signalled_at else :now::timestamptz end
    from unnest(:queues::text[], :lasts::bigint[], :unfinished::int[]) as t (agent_id, last_sequence, unfinished)
   where q.agent_id = t.agent_id`
