import test from 'ava'
import { offsetAt, offsetsOf, stretches } from '../../../../src/schedules/cron/offsets.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const at = (text: string): number => Date.parse(text)

test('an offset is how far the clock of a zone is ahead of UTC', (t) => {
  const rows: [string, string, number][] = [
    ['Asia/Kathmandu', '2026-11-21T12:00:00Z', 345],
    ['America/St_Johns', '2026-11-21T12:00:00Z', -210],
    ['Pacific/Kiritimati', '2026-12-31T23:59:59.999Z', 840],
    ['Europe/Berlin', '2026-10-25T00:59:59.999Z', 120],
    ['Europe/Berlin', '2026-10-25T01:00:00Z', 60],
  ]
  for (const [zone, time, minutes] of rows) t.is(offsetAt(zone, at(time)), minutes * minuteMs, `${zone} ${time}`)
})

test('time is divided where an offset changes, to the minute', (t) => {
  const [from, to] = [at('2026-10-24T22:00Z'), at('2026-11-20T00:00Z')]
  const parts = [...stretches('Europe/Berlin', from, to)]
  t.is(parts.at(-1)?.to, to)
  for (const [index, part] of parts.entries()) t.is(part.from, parts[index - 1]?.to ?? from, 'they follow each other')
  const change = at('2026-10-25T01:00Z')
  t.like(parts, [
    { from, to: change, offset: 2 * hourMs },
    { from: change, to: from + 7 * 24 * hourMs, offset: hourMs },
  ])
  t.true(parts.slice(1).every(({ offset }) => offset === hourMs))
  t.deepEqual([...stretches('Europe/Berlin', to, to)], [])
})

test('a change at either end of a stretch leaves nothing empty', (t) => {
  const change = at('2026-10-25T01:00Z')
  const one = { from: change, to: change + hourMs, offset: hourMs }
  t.deepEqual([...stretches('Europe/Berlin', change, change + hourMs)], [one])
  const before = { from: change - hourMs, to: change, offset: 2 * hourMs }
  t.deepEqual([...stretches('Europe/Berlin', change - hourMs, change)], [before])
})

test('the offsets of a zone are all that it has in the years to come, ascending', (t) => {
  t.deepEqual(offsetsOf('UTC'), [0])
  t.deepEqual(offsetsOf('Europe/Berlin'), [60, 120])
  t.deepEqual(offsetsOf('America/New_York'), [-300, -240])
  t.deepEqual(offsetsOf('Australia/Lord_Howe'), [630, 660])
})
