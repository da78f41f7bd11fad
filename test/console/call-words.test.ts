import test from 'ava'
import { meaningOf, remediesOf } from '../../console/screens/sites/calls/call-words.ts'

const table = [
  ['succeeded', 'once', 1, /performed the call\.$/],
  ['failed', 'once', 1, /did nothing/],
  ['failed', 'once', 0, /not sent/],
  ['failed', 'read', 1, /changed nothing/],
  ['unknown', 'once', 1, /not known whether/],
  ['started', 'once', 1, /under way/],
  ['planned', 'once', 0, /under way/],
] as const

for (const [status, effect, attempts, words] of table) {
  test(`a call (${status}, ${effect}, ${attempts} attempts) is explained by ${String(words)}`, (t) => {
    t.regex(meaningOf({ status, effect, attempts }), words)
  })
}

test('only an unknown outcome has remedies, and they begin with what does no harm', (t) => {
  for (const status of ['planned', 'started', 'succeeded', 'failed'] as const) {
    t.deepEqual(remediesOf({ status, effect: 'once' }), [])
  }
  t.regex(remediesOf({ status: 'unknown', effect: 'once' })[0] ?? '', /^Look at the site first/)
  t.regex(remediesOf({ status: 'unknown', effect: 'idempotent' })[0] ?? '', /^Call it again/)
})
