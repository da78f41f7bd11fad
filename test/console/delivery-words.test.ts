import test from 'ava'
import {
  othersInWords,
  proofInWords,
  repetitionInWords,
  schemaInWords,
} from '../../console/screens/deliveries/delivery-words.ts'

const field = { name: 'title', type: 'string', required: true } as const

for (const [schema, words] of [
  [null, 'Not checked, because the agent had no schema'],
  [[field], 'Matched the schema of 1 field'],
  [[field, { ...field, name: 'body' }], 'Matched the schema of 2 fields'],
] as const)
  test(`a schema of ${schema?.length ?? 'no'} fields: ${words}`, (t) =>
    t.is(schemaInWords({ schema: schema && [...schema] }), words))

test('what a delivery was judged by may no longer be known', (t) => {
  t.is(proofInWords(null), 'Proved; how is no longer known')
  t.is(schemaInWords(null), 'Accepted; the schema is no longer known')
  t.is(proofInWords({ proof: 'stripe' }), 'A signature of Stripe')
})

for (const [delivery, words] of [
  [{ replayOf: 'run', identity: null }, /^Replayed by request/],
  [{ replayOf: null, identity: null }, /starts another run/],
  [{ replayOf: null, identity: { key: 'evt_1', bodyHash: null } }, /^By the id in its signed body$/],
  [{ replayOf: null, identity: { key: 'order-1', bodyHash: 'ab' } }, /^By its key and the hash of its body$/],
] as const)
  test(`a delivery with ${JSON.stringify(delivery)} says how its repetition is recognised`, (t) =>
    t.regex(repetitionInWords(delivery), words))

test('refusals that are only counted are named if there are any', (t) => {
  t.is(othersInWords(0), undefined)
  t.is(othersInWords(1), '1 more refusal just before it')
  t.is(othersInWords(7), '7 more refusals just before it')
})
