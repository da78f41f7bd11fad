import test from 'ava'
import { payloadOf, runOf, samplePayload, verdictInWords } from '../../console/screens/agents/test-delivery.ts'

for (const [accepted, status, words] of [
  [true, 202, 'Accepted. It starts a run.'],
  [true, 200, 'Accepted. It starts no run.'],
  [false, 400, 'Refused. A sender would have received the status 400.'],
] as const)
  test(`a test delivery with the status ${status} reads "${words}"`, (t) =>
    t.is(verdictInWords({ accepted, status }), words))

test('only an accepted delivery names a run', (t) => {
  t.is(runOf({ answer: { runId: 'r' } }), 'r')
  t.is(runOf({ answer: { challenge: 'c' } }), undefined)
  t.is(runOf({}), undefined)
})

test('a sample payload has the required members', (t) => {
  const schema = [
    { name: 'title', type: 'string', required: true },
    { name: 'tags', type: 'array', required: true },
    { name: 'note', type: 'string', required: false },
  ] as const
  t.deepEqual(JSON.parse(samplePayload(schema)), { title: 'text', tags: [] })
  t.is(samplePayload(null), '{}')
})

test('a text that is not JSON is no payload', (t) => {
  t.is(payloadOf('{'), undefined)
  t.deepEqual(payloadOf('null'), { payload: null })
})
