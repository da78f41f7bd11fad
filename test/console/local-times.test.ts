import test from 'ava'
import { timeInWords } from '../../console/parts/format.ts'
import { inLocalTime } from '../../console/parts/local-times.ts'

const now = Date.parse('2026-11-27T09:00:00.000Z')
const shown = (at: string) => timeInWords(at, now)

const table = [
  ['Run 3 will fail at 2026-11-28T09:00:00Z.', `Run 3 will fail at ${shown('2026-11-28T09:00:00Z')}.`],
  [
    'From 2026-11-27T08:00:00Z to 2026-11-27T08:30:00.123Z it was away.',
    `From ${shown('2026-11-27T08:00:00Z')} to ${shown('2026-11-27T08:30:00.123Z')} it was away.`,
  ],
  ['The agent “2026-11-28” is paused.', 'The agent “2026-11-28” is paused.'],
  ['Nothing happened.', 'Nothing happened.'],
] as const

for (const [sentence, expected] of table)
  test(`the reader's time is in "${sentence}"`, (t) => t.is(inLocalTime(sentence, now), expected))
