import type { Transaction } from '../../database/database.ts'
import { keyOf, type AcceptedRun, type Queue } from './decision.ts'
import type { AcceptRequest } from './receipt.ts'

/** Locks one agent's queue row. Waits while it is locked. */
export async function lockOne(trx: Transaction, agentId: string): Promise<Map<string, Queue>> {
  const { rows } = await trx.raw<{ rows: Queue[] }>(`${lockStatement} for share of a`, { agentIds: [agentId] })
  return new Map(rows.map((row) => [row.agentId, row]))
}

/**
 * Locks the queue rows that no other transaction has locked; `locked` are the rest. A slow or frozen lock holder delays
 * only its own agents, not the batch.
 */
export async function lockFree(trx: Transaction, agentIds: string[]) {
  const { rows } = await trx.raw<{ rows: Queue[] }>(`${lockStatement} skip locked for share of a skip locked`, {
    agentIds,
  })
  const queues = new Map(rows.map((row) => [row.agentId, row]))
  const missing = agentIds.filter((agentId) => !queues.has(agentId))
  if (missing.length === 0) return { queues, locked: new Set<string>() }
  const existing = await trx.raw<{ rows: { agentId: string }[] }>(existStatement, { missing })
  return { queues, locked: new Set(existing.rows.map(({ agentId }) => agentId)) }
}

/**
 * Ordered by id, so two processes never deadlock. Locks the agents' rows too: a weaker lock, or none, would read the
 * owner from before a move that just committed.
 */
const lockStatement = `
  select q.agent_id as "agentId", a.owner_id as "ownerId", a.name as "agentName", q.last_sequence as "lastSequence", q.unfinished, q.awake,
         q.blocked_cause as "blockedCause"
    from agent_queues q join agents a on a.id = q.agent_id
   where q.agent_id = any(:agentIds) and a.deleted_at is null
   order by q.agent_id for update of q`

const existStatement = `select id as "agentId" from agents where id = any(:missing) and deleted_at is null`

/** Runs already accepted under this batch's idempotency keys, with the `ahead` of that time. */
export async function findAccepted(trx: Transaction, requests: AcceptRequest[]): Promise<Map<string, AcceptedRun>> {
  const keyed = requests.filter(({ idempotencyKey }) => idempotencyKey !== undefined)
  if (keyed.length === 0) return new Map()
  const { rows } = await trx.raw<{ rows: AcceptedRun[] }>(knownStatement, {
    agentIds: keyed.map(({ agentId }) => agentId),
    keys: keyed.map(({ idempotencyKey }) => idempotencyKey ?? ''),
  })
  return new Map(rows.map((row) => [keyOf(row.agentId, row.idempotencyKey), row]))
}

const knownStatement = `
  select r.id, k.agent_id as "agentId", k.key as "idempotencyKey", encode(k.body_hash, 'hex') as "bodyHash", r.sequence,
         r.owner_id as "ownerId", r.status, coalesce((select (e.data ->> 'ahead')::int from run_events e
                              where e.run_id = r.id and e.number = 1), 0) as ahead
    from unnest(:agentIds::uuid[], :keys::text[]) as given (agent_id, key)
    join idempotency_keys k on k.agent_id = given.agent_id and k.key = given.key
    join runs r on r.id = k.run_id`
