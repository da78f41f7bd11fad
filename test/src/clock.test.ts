import test from 'ava'
import { aheadAfter } from '../../src/clock.ts'

const cases: [string, number, [number, number, number], number][] = [
  ['two equal clocks stay as they are', 0, [1000, 1003, 1005], 0],
  ['an answer that takes long changes nothing', 0, [1000, 1001, 9000], 0],
  ['times cut to milliseconds change nothing', 0, [1001, 1000, 1001], 0],
  ['half a minute ahead', 0, [31_000, 1000, 31_004], -29_999],
  ['half a minute behind', 0, [1000, 31_000, 1004], 29_995],
  ['a known difference stays while readings agree with it', -29_999, [31_000, 1002, 31_008], -29_999],
  ['a clock that was put right', -29_999, [1000, 1002, 1004], -3],
]

for (const [what, before, [sent, theirs, received], after] of cases) {
  test(`the database's clock is followed: ${what}`, (t) => {
    t.is(aheadAfter(before, { sent, theirs, received }), after)
  })
}
