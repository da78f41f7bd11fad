import test from 'ava'
import { agoInWords, costInWords, countInWords, durationInWords } from '../../console/parts/format.ts'

for (const [ms, words] of [
  [-5, '0 ms'],
  [0, '0 ms'],
  [840, '840 ms'],
  [999.6, '1000 ms'],
  [3249, '3.2 s'],
  [9999, '9.9 s'],
  [10_000, '10 s'],
  [59_999, '59 s'],
  [125_000, '2 min 5 s'],
  [3_600_000, '1 h'],
  [12_000_000, '3 h 20 min'],
  [86_400_000 * 12 + 4 * 3_600_000, '12 d 4 h'],
] as const)
  test(`a duration of ${ms} ms reads "${words}"`, (t) => t.is(durationInWords(ms), words))

const now = Date.parse('2026-11-26T12:00:00Z')

for (const [at, words] of [
  ['2026-11-26T11:59:59.500Z', 'now'],
  ['2026-11-26T11:59:55Z', '5 s ago'],
  ['2026-11-26T11:30:00Z', '30 min ago'],
  ['2026-11-25T11:00:00Z', '1 d ago'],
  ['2026-11-26T14:00:00Z', 'in 2 h'],
] as const)
  test(`${at} reads "${words}" at noon`, (t) => t.is(agoInWords(at, now), words))

test('a count takes the plural, and an unknown price is not zero', (t) => {
  t.deepEqual([countInWords(1, 'run'), countInWords(1200, 'run')], ['1 run', '1,200 runs'])
  t.deepEqual([costInWords(null), costInWords(0), costInWords(0.0041)], ['price unknown', '$0.00', '$0.0041'])
})
