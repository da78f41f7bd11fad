import test from 'ava'
import * as fc from 'fast-check'
import { withoutDefaults, withDefaults } from '../../../src/runs/default-event-data.ts'

/** What stored events have left out, in databases that nobody converts: a change here changes what has happened. */
const leftOut: Record<string, Record<string, unknown>> = {
  accepted: { ahead: 0 },
  started: { epoch: 1, override: 'absent' },
  recovered: {},
  'step.started': { attempt: 1 },
  'step.failed': {},
  'step.finished': { attempt: 1 },
  'tool.started': { attempt: 1 },
  'tool.failed': {},
  'tool.finished': { attempts: 1, status: 'succeeded' },
  'credential.refreshed': {},
  'wait.started': {},
  'wait.ended': {},
  'cancel.requested': {},
  ended: { status: 'completed', reason: null, message: null },
}

test('an event that was stored without the usual is read as it was', (t) => {
  for (const [kind, data] of Object.entries(leftOut)) {
    t.deepEqual(withDefaults(kind, {}), data, kind)
    t.deepEqual(withoutDefaults(kind, data), {}, kind)
  }
})

test('the members of an event are in the order in which people read them', (t) => {
  const texts = ([kind, data]: [string, Record<string, unknown>]) =>
    JSON.stringify(withDefaults(kind, withoutDefaults(kind, data))) === JSON.stringify(data)
  t.true(texts(['accepted', { trigger: 'webhook', sequence: 1, ahead: 0 }]))
  t.true(texts(['step.started', { step: 1, attempt: 1 }]))
  t.true(texts(['tool.finished', { callId: 'one', attempts: 1, status: 'succeeded' }]))
  t.true(texts(['ended', { status: 'failed', reason: 'MODEL_ERROR', message: 'It failed.' }]))
})

test('what is not usual is stored, and whatever is stored is read as it was', (t) => {
  const value = fc.oneof(fc.jsonValue(), fc.constantFrom(0, 1, '1', null, 'absent', 'completed', 'succeeded'))
  const event = fc.constantFrom(...Object.keys(leftOut)).chain((kind) =>
    fc.record({
      kind: fc.constant(kind),
      // An event has all the fields of its kind (EventData); those of `leftOut` are a part of them.
      data: fc.record(Object.fromEntries([...Object.keys(leftOut[kind]!), 'note'].map((name) => [name, value]))),
    }),
  )
  fc.assert(
    fc.property(event, ({ kind, data }) => {
      t.deepEqual(withDefaults(kind, withoutDefaults(kind, data)), { ...data })
    }),
  )
})
