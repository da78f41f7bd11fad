import test from 'ava'
import { replayBody } from '../../console/screens/runs/replay-body.ts'

const webhook = { trigger: 'webhook' } as const
const manual = { trigger: 'manual' } as const

test('an unchanged input is not sent, so the run gets exactly what the first one got', (t) => {
  t.deepEqual(replayBody(webhook, '{"a":1}', '{"a":1}', false), { body: undefined })
})

test('an edited input is sent as the member that the run has', (t) => {
  t.deepEqual(replayBody(webhook, '{}', '{"a":1}', false), { body: { payload: { a: 1 } } })
  t.deepEqual(replayBody(manual, '{}', '{"a":1}', false), { body: { input: { a: 1 } } })
  t.deepEqual(replayBody(manual, 'hello', 'bye', true), { body: { input: 'bye' } })
})

for (const text of ['{', '[1]', '1', 'null', ''])
  test(`the edited input ${JSON.stringify(text)} is a problem`, (t) =>
    t.true('problem' in replayBody(webhook, '{}', text, false)))
