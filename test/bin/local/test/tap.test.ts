import { Readable } from 'node:stream'
import test from 'ava'
import { showTap } from '../../../../bin/local/test/tap.ts'

const output = `TAP version 13
ok 1 - a › works
#   12 ms
not ok 2 - a › breaks
  ---
    name: AssertionError
  ...
ok 3 - a › left out # SKIP
not ok 4 - a › to be written # TODO

1..4
# tests 3
# pass 1
# skip 1
# fail 2
`

const expected = { passed: 1, failed: 1, skipped: ['a › left out'] }
const failure = ['✘ a › breaks', '  ---', '    name: AssertionError', '  ...']

test('the counts are of what passed and failed, without what is left out or still to be written, and what failed is told again', async (t) => {
  const shown: string[] = []
  t.deepEqual(await showTap(Readable.from([output]), (line) => shown.push(line)), expected)
  t.deepEqual(shown, [
    '✔ a › works',
    ...failure,
    '- a › left out # SKIP',
    '- a › to be written # TODO',
    '',
    'Failed:',
    ...failure,
  ])
})

test('what tests have logged is shown to who wants it', async (t) => {
  const shown: string[] = []
  t.deepEqual(await showTap(Readable.from([output]), (line) => shown.push(line), true), expected)
  t.deepEqual(shown.slice(0, 2), ['✔ a › works', '   12 ms'])
  t.false(shown.some((line) => line.includes('tests 3')))
})
