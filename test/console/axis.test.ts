import test from 'ava'
import { marksOf } from '../../console/screens/runs/timeline/axis.ts'

/** A line to scale. */
const even = (ms: number) => ({ from: 1000, to: 1000 + ms, at: (time: number) => (time - 1000) / ms, gaps: [] })

for (const { ms, words } of [
  { ms: 762, words: ['0', '200 ms', '400 ms', '600 ms'] },
  { ms: 8000, words: ['0', '2.0 s', '4.0 s', '6.0 s'] },
  { ms: 100_000, words: ['0', '30 s', '1 min', '1 min 30 s'] },
  { ms: 1, words: ['0'] },
])
  test(`an axis of ${ms} ms has marks at round times`, (t) =>
    t.deepEqual(
      marksOf(even(ms)).map(({ text }) => text),
      words,
    ))

test('a collapsed gap says how long it was, and no word touches another', (t) => {
  const night = 8 * 3_600_000
  const gap = { from: 2000, to: 2000 + night, start: 0.48, end: 0.52 }
  const at = (time: number) => (time <= 2000 ? ((time - 1000) / 1000) * 0.48 : 0.52 + ((time - gap.to) / 1000) * 0.48)
  const marks = marksOf({ from: 1000, to: gap.to + 1000, at, gaps: [gap] })
  t.is(marks[0]?.text, '8 h idle')
  const places = marks.map(({ place }) => place).toSorted((one, other) => one - other)
  t.true(places.every((place, index) => index === 0 || place - (places[index - 1] ?? 0) >= 0.1))
})

test('a short line has fewer words', (t) =>
  t.deepEqual(
    marksOf(even(8000), 0.3).map(({ text }) => text),
    ['0', '4.0 s'],
  ))
