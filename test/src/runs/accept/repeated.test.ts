// @promise repeats
import test from 'ava'
import type { AcceptRequest } from '../../../../src/runs/accept/receipt.ts'
import { findAccepted, repeated } from '../../../../src/runs/accept/repeated.ts'
import { acceptingForFile, receiptOf } from './open-accepting.ts'

const open = acceptingForFile(test)

const receipt = { runId: 'earlier', status: 'running', sequence: 4, ahead: 2 } as const
const earlier = { ownerId: 'owner', bodyHash: 'hash', receipt }

const requested = (facts: Partial<AcceptRequest> = {}): AcceptRequest => ({
  agentId: 'agent',
  trigger: 'webhook',
  requestId: 'request',
  idempotencyKey: 'key',
  bodyHash: 'hash',
  ...facts,
})

const errorOf = (...given: Parameters<typeof repeated>) => {
  const outcome = repeated(...given)
  return 'error' in outcome ? outcome.error : undefined
}

test('the same request under the same key gets the receipt of the first one, whatever holds now', (t) => {
  const facts: Partial<AcceptRequest>[] = [{}, { onlyIfIdle: true }, { ownerId: 'owner' }, { skipUnlessIdle: true }]
  for (const fact of facts) t.deepEqual(repeated(requested(fact), earlier), { receipt, isNew: false })
})

test('a request without a body is the same as another without', (t) => {
  const bare = requested({ bodyHash: undefined })
  t.deepEqual(repeated(bare, { ...earlier, bodyHash: null }), { receipt, isNew: false })
  t.is(errorOf(bare, earlier)?.code, 'VALIDATION_ERROR')
  t.is(errorOf(requested(), { ...earlier, bodyHash: null })?.code, 'VALIDATION_ERROR')
})

test('a key that was used with another body is refused where it stands, and the run is named', (t) => {
  const error = errorOf(requested({ bodyHash: 'other' }), earlier)
  const message = 'Run earlier already used this idempotency key with a different body. Use a new key.'
  t.like(error, { code: 'VALIDATION_ERROR', message, details: [{ path: 'Idempotency-Key', message }] })
  t.is(errorOf(requested({ bodyHash: 'other', keyPlace: 'id' }), earlier)?.details?.[0]?.path, 'id')
})

test('a key that was used before the agent was moved is refused, and the run of the former owner is not named', (t) => {
  const error = errorOf(requested({ ownerId: 'later' }), earlier)
  const message = 'This idempotency key was used before the agent was moved here. Use a new key.'
  t.like(error, { code: 'VALIDATION_ERROR', message, details: [{ path: 'Idempotency-Key', message }] })
  t.is(errorOf(requested({ ownerId: 'later', bodyHash: 'other' }), earlier)?.message, message)
  t.is(errorOf(requested({ ownerId: 'later', keyPlace: 'id' }), earlier)?.details?.[0]?.path, 'id')
})

test('the earlier run is found by its agent and key alone, with the `ahead` of its time', async (t) => {
  const { database, ownerId, agentWith, accept } = await open(t)
  const [agent, other] = [await agentWith({ unfinished: 2 }), await agentWith()]
  const request = agent.request({ idempotencyKey: 'key', bodyHash: 'aa' })
  const first = receiptOf((await accept([request])).decisions[0])
  t.like(first, { sequence: 8, ahead: 2 })
  const found = { ownerId, bodyHash: 'aa', receipt: first }
  for (const bodyHash of ['aa', 'bb', undefined])
    t.deepEqual(await findAccepted(database, { ...request, bodyHash }), found)
  for (const unknown of [agent.request(), { ...request, idempotencyKey: 'other' }, { ...request, agentId: other.id }])
    t.is(await findAccepted(database, unknown), undefined)
  const bare = other.request({ idempotencyKey: 'bare' })
  const second = receiptOf((await accept([bare])).decisions[0])
  t.deepEqual(await findAccepted(database, bare), { ownerId, bodyHash: null, receipt: second })
})
