import type { Database } from '../../database/database.ts'
import { CodedError } from '../../errors.ts'
import type { AcceptRequest, Receipt } from './receipt.ts'

/** A run that was accepted earlier under an idempotency key. */
interface AcceptedRun {
  ownerId: string | null
  bodyHash: string | null
  receipt: Receipt
}

/** The receipt of an earlier request with the same key. VALIDATION_ERROR if its body or its owner differs. */
export function repeated(
  request: AcceptRequest,
  { ownerId, bodyHash, receipt }: AcceptedRun,
): { receipt: Receipt; isNew: false } | { error: CodedError } {
  const isOurs = request.ownerId === undefined || request.ownerId === ownerId
  if (isOurs && (request.bodyHash ?? null) === bodyHash) return { receipt, isNew: false }
  const message = isOurs
    ? `Run ${receipt.runId} already used this idempotency key with a different body. Use a new key.`
    : 'This idempotency key was used before the agent was moved here. Use a new key.'
  const path = request.keyPlace ?? 'Idempotency-Key'
  return { error: new CodedError('VALIDATION_ERROR', { message, details: [{ path, message }] }) }
}

/** The run that was accepted earlier under the request's key, with the `ahead` of that time. */
export async function findAccepted(
  database: Database,
  { agentId, idempotencyKey }: AcceptRequest,
): Promise<AcceptedRun | undefined> {
  if (idempotencyKey === undefined) return undefined
  const { rows } = await database.raw<{ rows: (Receipt & Omit<AcceptedRun, 'receipt'>)[] }>(knownStatement, {
    agentId,
    idempotencyKey,
  })
  return rows.map(({ ownerId, bodyHash, ...receipt }) => ({ ownerId, bodyHash, receipt }))[0]
}

const knownStatement = `
  select r.id as "runId", r.status, r.sequence, r.owner_id as "ownerId", encode(k.body_hash, 'hex') as "bodyHash",
         coalesce((select (e.data ->> 'ahead')::int from run_events e where e.run_id = r.id and e.number = 1), 0) as ahead
    from idempotency_keys k join runs r on r.id = k.run_id
   where k.agent_id = :agentId and k.key = :idempotencyKey`
