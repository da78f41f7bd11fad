import test from 'ava'
import { needTimes } from '../../console/screens/home/need-words.ts'
import { needOf } from './needs.ts'

const now = Date.parse('2026-11-27T09:00:00.000Z')

const table = [
  ['approval', '2026-11-27T08:57:00.000Z', '2026-11-27T09:12:00.000Z', ['requested 3 min ago', 'expires in 12 min']],
  ['blocked', '2026-11-27T06:00:00.000Z', '2026-11-28T09:00:00.000Z', ['for 3 h', 'fails in 1 d']],
  ['blocked', '2026-11-27T06:00:00.000Z', '2026-11-27T08:59:58.000Z', ['for 3 h', 'fails now']],
  ['credential', null, '2026-11-30T09:00:00.000Z', ['ends in 3 d']],
  ['failing', '2026-11-25T09:00:00.000Z', null, ['for 2 d']],
  ['model', '2026-11-27T09:00:01.000Z', null, ['for 0 s']],
  ['silent', null, null, []],
] as const

for (const [kind, since, until, words] of table) {
  test(`the times of a need (${kind}) read "${words.join(', ')}"`, (t) => {
    const times = needTimes(needOf({ kind, since, until }), now)
    t.deepEqual(
      times.map((time) => time.words),
      [...words],
    )
    t.deepEqual(
      times.map(({ at }) => at),
      [since, until].filter((at) => at !== null),
    )
  })
}
