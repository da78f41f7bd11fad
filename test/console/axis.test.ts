import test from 'ava'
import { marksOf } from '../../console/screens/runs/timeline/axis.ts'

const even = { from: 1000, timeAt: (place: number) => 1000 + place * 8000, gaps: [] }

test('an axis says how much time had passed at each quarter', (t) => {
  t.deepEqual(
    marksOf(even).map(({ place, text }) => [place, text]),
    [
      [0, '0'],
      [0.25, '2.0 s'],
      [0.5, '4.0 s'],
      [0.75, '6.0 s'],
    ],
  )
})

test('a collapsed gap says how long it was, in place of a word that would touch it', (t) => {
  const gap = { from: 2000, to: 2000 + 8 * 3_600_000, start: 0.46, end: 0.5 }
  t.deepEqual(
    marksOf({ ...even, gaps: [gap] }).map(({ text }) => text),
    ['8 h idle', '0', '2.0 s', '6.0 s'],
  )
})
