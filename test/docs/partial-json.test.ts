import test from 'ava'
import { differenceFrom } from './partial-json.ts'

const answer = { id: '01a21a28-d40b', status: 'queued', items: [{ n: 1 }, { n: 2 }], url: 'http://127.0.0.1:4817/a' }

const same = [
  '{ "status": "queued", … }',
  '{\n  "id": "01a1…",\n  …\n}',
  '{ "items": [{ "n": 1 }, …], … }',
  '{ "items": [{ "n": 1, … }], "url": "http://127.0.0.1:3000/…" }',
]

for (const shown of same) {
  test(`an answer is like ${JSON.stringify(shown)}`, (t) => {
    t.is(differenceFrom(answer, shown), undefined)
  })
}

test('the first place that differs is named', (t) => {
  t.is(differenceFrom(answer, '{ "status": "ended", … }'), 'the answer.status is "queued", and shown as "ended"')
  t.is(differenceFrom(answer, '{ "items": [{ "n": 1 }, { "n": 3 }] }'), 'the answer.items[1].n is 2, and shown as 3')
  t.is(differenceFrom(answer, '{ "gone": null, … }'), 'the answer.gone is undefined, and shown as null')
})

test('a mark inside a string is no mark', (t) => {
  t.is(differenceFrom({ say: 'a, … ]' }, '{ "say": "a, … ]" }'), undefined)
})
