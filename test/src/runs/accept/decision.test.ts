import test from 'ava'
import {
  decide,
  isNew,
  keyOf,
  repeatedReceipt,
  type Decision,
  type AcceptedRun,
  type Queue,
} from '../../../../src/runs/accept/decision.ts'
import type { AcceptRequest } from '../../../../src/runs/accept/receipt.ts'

const depth = 3

const requested = (facts: Partial<AcceptRequest> = {}): AcceptRequest => ({
  agentId: 'agent',
  trigger: 'webhook',
  requestId: 'request',
  ...facts,
})

const queueWith = (unfinished: number): Queue => ({
  agentId: 'agent',
  ownerId: 'owner',
  agentName: 'An agent',
  lastSequence: 7,
  unfinished,
  awake: false,
  blockedCause: null,
})

const earlier: AcceptedRun = {
  id: 'earlier',
  agentId: 'agent',
  ownerId: 'owner',
  idempotencyKey: 'key',
  bodyHash: 'hash',
  sequence: 4,
  status: 'running',
  ahead: 2,
}
const knownRuns = (): Map<string, AcceptedRun> => new Map([[keyOf('agent', 'key'), { ...earlier }]])

const errorOf = (decision: Decision) => (decision !== 'locked' && 'error' in decision ? decision.error : undefined)
const receiptOf = (decision: Decision) =>
  decision !== 'locked' && 'receipt' in decision ? decision.receipt : undefined

test('requests are numbered in the order in which they come, each behind those that have not ended', (t) => {
  const [queue, known] = [queueWith(1), new Map<string, AcceptedRun>()]
  const first = decide(requested(), queue, known, depth)
  const second = decide(requested(), queue, known, depth)
  t.like(receiptOf(first), { status: 'queued', sequence: 8, ahead: 1 })
  t.like(receiptOf(second), { status: 'queued', sequence: 9, ahead: 2 })
  t.not(receiptOf(first)?.runId, receiptOf(second)?.runId)
  t.true(isNew(first))
  t.like(queue, { lastSequence: 9, unfinished: 3, awake: false })
  t.is(known.size, 0, 'without a key nothing is remembered')
})

test('an agent that is gone, or that another owner has, is not found', (t) => {
  for (const decision of [
    decide(requested(), undefined, knownRuns(), depth),
    decide(requested({ ownerId: 'another', idempotencyKey: 'key' }), queueWith(0), knownRuns(), depth),
  ]) {
    t.is(errorOf(decision)?.code, 'AGENT_NOT_FOUND')
    t.false(isNew(decision))
  }
  t.true(isNew(decide(requested({ ownerId: 'owner' }), queueWith(0), new Map(), depth)))
})

test('a queue takes as many runs as it may hold, and refuses the next one unchanged', (t) => {
  const queue = queueWith(2)
  t.true(isNew(decide(requested(), queue, new Map(), depth)))
  const known = new Map<string, AcceptedRun>()
  const error = errorOf(decide(requested({ idempotencyKey: 'key' }), queue, known, depth))
  t.like(error, { code: 'RATE_LIMITED', retryAfter: 60 })
  t.regex(error?.message ?? '', /\(3 unfinished runs\)/)
  t.like(queue, { lastSequence: 8, unfinished: 3 })
  t.is(known.size, 0)
})

test('a manual run is refused while another has not ended', (t) => {
  const manual = requested({ onlyIfIdle: true })
  t.is(errorOf(decide(manual, queueWith(1), new Map(), depth))?.code, 'AGENT_ALREADY_RUNNING')
  t.true(isNew(decide(manual, queueWith(0), new Map(), depth)))
})

test('a fire is skipped while another run has not ended, even if the queue is full', (t) => {
  const fire = requested({ skipUnlessIdle: true })
  for (const unfinished of [1, depth]) {
    const queue = queueWith(unfinished)
    const decision = decide(fire, queue, new Map(), depth)
    t.like(receiptOf(decision), { status: 'skipped', sequence: 8, ahead: unfinished })
    t.true(isNew(decision))
    t.like(queue, { lastSequence: 8, unfinished }, 'a skipped run takes a number, and no place')
  }
  t.like(receiptOf(decide(fire, queueWith(0), new Map(), depth)), { status: 'queued' })
  t.is(errorOf(decide(fire, queueWith(0), new Map(), 0))?.code, 'RATE_LIMITED')
  t.is(errorOf(decide(requested({ skipUnlessIdle: false }), queueWith(depth), new Map(), depth))?.code, 'RATE_LIMITED')
})

test('the same request under the same key gets the receipt of the first one, whatever holds now', (t) => {
  const known = new Map<string, AcceptedRun>()
  const queue = queueWith(2)
  const request = requested({ idempotencyKey: 'key', bodyHash: 'hash', onlyIfIdle: false })
  const first = decide(request, queue, known, depth)
  const again = decide({ ...request, onlyIfIdle: true }, queue, known, depth)
  t.false(isNew(again))
  t.deepEqual(receiptOf(again), receiptOf(first))
  t.true(isNew(decide({ ...request, agentId: 'other' }, queueWith(0), known, depth)), 'a key belongs to its agent')
  t.like(queue, { lastSequence: 8, unfinished: 3 })
  const id = receiptOf(first)?.runId ?? ''
  t.deepEqual(known.get('agent key'), { ...earlier, id, sequence: 8, status: 'queued' })
})

test('a request without a body is the same as another without', (t) => {
  const known = new Map<string, AcceptedRun>()
  const request = requested({ idempotencyKey: 'key' })
  const first = decide(request, queueWith(0), known, depth)
  t.is(known.get('agent key')?.bodyHash, null)
  t.deepEqual(decide(request, queueWith(0), known, depth), { receipt: receiptOf(first), isNew: false })
})

test('a key that was used with another body, or by the owner before, is refused where it stands', (t) => {
  const again = requested({ idempotencyKey: 'key', bodyHash: 'hash' })
  const refused = (facts: Partial<AcceptRequest>, ownerId = 'owner') =>
    errorOf(decide({ ...again, ...facts }, { ...queueWith(0), ownerId }, knownRuns(), depth))
  const changed = refused({ bodyHash: 'other' })
  t.is(changed?.code, 'VALIDATION_ERROR')
  t.regex(changed?.message ?? '', /^Run earlier already used this idempotency key with a different body/)
  t.deepEqual(changed?.details, [{ path: 'Idempotency-Key', message: changed?.message ?? '' }])
  t.is(refused({ bodyHash: undefined })?.code, 'VALIDATION_ERROR')
  t.is(refused({ bodyHash: 'other', keyPlace: 'id' })?.details?.[0]?.path, 'id')
  const moved = refused({ ownerId: 'later' }, 'later')
  t.is(moved?.code, 'VALIDATION_ERROR')
  t.regex(moved?.message ?? '', /before the agent was moved here/)
  t.is(refused({ ownerId: 'owner' }), undefined)
})

test('the earlier receipt is found by the key alone', (t) => {
  const request = requested({ idempotencyKey: 'key', bodyHash: 'hash' })
  t.deepEqual(repeatedReceipt(request, knownRuns()), { runId: 'earlier', status: 'running', sequence: 4, ahead: 2 })
  t.is(repeatedReceipt({ ...request, idempotencyKey: 'another' }, knownRuns()), undefined)
  t.is(repeatedReceipt(requested(), knownRuns()), undefined)
  t.throws(() => repeatedReceipt({ ...request, bodyHash: 'other' }, knownRuns()), { message: /different body/ })
})
