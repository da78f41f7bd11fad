import { CodedError } from '../../errors.ts'
import { newId } from '../../ids.ts'
import type { BlockedCause } from '../agent-queue.ts'
import { queueFull } from '../queue/depth.ts'
import type { RunStatus } from '../states.ts'
import type { AcceptRequest, Receipt } from './receipt.ts'

/** A queue row as read, then changed by the batch. `awake` stays as read. */
export interface Queue {
  agentId: string
  ownerId: string
  agentName: string
  lastSequence: number
  unfinished: number
  awake: boolean
  /** Why it may not start a run. A blocked queue is not woken. */
  blockedCause: BlockedCause | null
}

/** A run accepted earlier under an idempotency key. */
export interface AcceptedRun {
  id: string
  agentId: string
  ownerId: string
  idempotencyKey: string
  bodyHash: string | null
  sequence: number
  status: RunStatus
  ahead: number
}

/** `locked`: another transaction holds the queue, so nothing was decided. */
export type Decision = { receipt: Receipt; isNew: boolean } | { error: CodedError } | 'locked'

/** Whether the request creates a run. */
export const isNew = (decision: Decision): decision is Extract<Decision, { receipt: Receipt }> =>
  decision !== 'locked' && 'receipt' in decision && decision.isNew

export const keyOf = (agentId: string, key: string): string => `${agentId} ${key}`

/** Decides one request under its queue's lock. Updates the queue and the known keys. */
export function decide(
  request: AcceptRequest,
  queue: Queue | undefined,
  known: Map<string, AcceptedRun>,
  depth: number,
): Exclude<Decision, 'locked'> {
  const isThere = queue && (request.ownerId === undefined || request.ownerId === queue.ownerId)
  if (!isThere) return { error: new CodedError('AGENT_NOT_FOUND') }
  const { agentId, idempotencyKey } = request
  const earlier = idempotencyKey === undefined ? undefined : known.get(keyOf(agentId, idempotencyKey))
  if (earlier) return repeated(request, earlier)
  if (request.onlyIfIdle && queue.unfinished > 0) return { error: new CodedError('AGENT_ALREADY_RUNNING') }
  const skipped = request.skipUnlessIdle === true && queue.unfinished > 0
  if (queue.unfinished >= depth && !skipped) return { error: queueFull(depth) }
  const receipt: Receipt = {
    runId: newId(),
    status: skipped ? 'skipped' : 'queued',
    sequence: queue.lastSequence + 1,
    ahead: queue.unfinished,
  }
  queue.lastSequence += 1
  if (!skipped) queue.unfinished += 1
  if (idempotencyKey !== undefined)
    known.set(keyOf(agentId, idempotencyKey), toAccepted(request, receipt, queue.ownerId))
  return { receipt, isNew: true }
}

/** The receipt of an earlier request with the same key. VALIDATION_ERROR if its body differs. */
export function repeatedReceipt(request: AcceptRequest, known: Map<string, AcceptedRun>): Receipt | undefined {
  const earlier = known.get(keyOf(request.agentId, request.idempotencyKey ?? ''))
  if (!earlier) return undefined
  const decision = repeated(request, earlier)
  if ('error' in decision) throw decision.error
  return decision.receipt
}

function repeated(request: AcceptRequest, earlier: AcceptedRun): Exclude<Decision, 'locked'> {
  const isOurs = request.ownerId === undefined || request.ownerId === earlier.ownerId
  if (isOurs && (request.bodyHash ?? null) === earlier.bodyHash) {
    const { id, status, sequence, ahead } = earlier
    return { receipt: { runId: id, status, sequence, ahead }, isNew: false }
  }
  const message = isOurs
    ? `Run ${earlier.id} already used this idempotency key with a different body. Use a new key.`
    : 'This idempotency key was used before the agent was moved here. Use a new key.'
  const path = request.keyPlace ?? 'Idempotency-Key'
  return { error: new CodedError('VALIDATION_ERROR', { message, details: [{ path, message }] }) }
}

const toAccepted = (
  request: AcceptRequest,
  { runId, status, sequence, ahead }: Receipt,
  ownerId: string,
): AcceptedRun => ({
  id: runId,
  agentId: request.agentId,
  ownerId,
  idempotencyKey: request.idempotencyKey ?? '',
  bodyHash: request.bodyHash ?? null,
  sequence,
  status,
  ahead,
})
