// @promise repeats
import test from 'ava'
import type { AcceptRequest } from '../../../../src/runs/accept/receipt.ts'
import { repeated } from '../../../../src/runs/accept/repeated.ts'

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
