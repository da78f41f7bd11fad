import test from 'ava'
import { Cron as Croner } from 'croner'
import * as fc from 'fast-check'
import { parseCron } from '../../../../src/schedules/cron/cron.ts'
import { firesBetween, nextFires } from '../../../../src/schedules/cron/fire-times.ts'
import { changesOf, comes, wallMs } from './clocks.ts'
import { expressions, nightly } from './random-expressions.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const zones = ['UTC', 'Europe/Berlin', 'America/New_York']
const changingZones = ['Europe/Berlin', 'America/New_York']

/**
 * What croner says. Its rule for the two day fields is ours (either, when both are restricted), but for a step on `*`,
 * which it counts as restricted where crontab(5) does not: there, it is told that both must match.
 */
function croner(text: string, timezone: string): Croner {
  const [, , day = '', , weekday = ''] = text.split(' ')
  const domAndDow = day.includes('*') || weekday.includes('*')
  return new Croner(text, { timezone, mode: '5-part', paused: true, domAndDow })
}

function cronersBetween(text: string, zone: string, after: number, until: number): number[] {
  const job = croner(text, zone)
  const fires: number[] = []
  for (let fire = job.nextRun(new Date(after)); fire && fire.getTime() <= until; fire = job.nextRun(fire)) {
    fires.push(fire.getTime())
  }
  return fires
}

const oursBetween = (text: string, zone: string, after: number, until: number): number[] =>
  firesBetween(parseCron(text), zone, new Date(after), new Date(until), 100_000).map((fire) => fire.getTime())

const iso = (times: (number | Date)[]): string[] => times.map((time) => new Date(time).toISOString().slice(0, 16))

const start = fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2032, 0, 1) })

/** Every change from 2024 to 2031. */
const changes = changingZones.flatMap((zone) =>
  changesOf(zone, Date.UTC(2024, 0, 1), Date.UTC(2032, 0, 1)).map((change) => ({ zone, ...change })),
)

// @promise cron
test('away from changes of clocks, fires are those of a peer library, for any expression, zone and start', (t) => {
  const property = fc.property(expressions.filter(comes), fc.constantFrom(...zones), start, (text, zone, after) => {
    const until = after + 400 * dayMs
    const ours = nextFires(parseCron(text), zone, new Date(after), 25).map((fire) => fire.getTime())
    const theirs = croner(text, zone)
      .nextRuns(25, new Date(after))
      .map((fire) => fire.getTime())
    const common = Math.min(
      until,
      ours.length < 25 ? until : (ours.at(-1) ?? 0),
      theirs.length < 25 ? until : (theirs.at(-1) ?? 0),
    )
    const compared = (fires: number[]): number[] =>
      fires.filter(
        (at) =>
          at <= common && !changes.some((change) => change.zone === zone && Math.abs(change.at - at) < 4 * hourMs),
      )
    return iso(compared(ours)).join() === iso(compared(theirs)).join()
  })
  t.notThrows(() => fc.assert(property, { numRuns: 50 }))
})

test('around changes of clocks, what fires at several times a day fires as in the peer library, without exception', (t) => {
  t.is(changes.length, 32)
  const property = fc.property(nightly.filter(comes), fc.constantFrom(...changes), (text, { zone, at }) => {
    // Both sides of the night; the peer library takes its time for every fire.
    const window = [at - 8 * hourMs, at + 8 * hourMs] as const
    const single = parseCron(text).minute.length === 1 && parseCron(text).hour.length === 1
    fc.pre(!single)
    return iso(oursBetween(text, zone, ...window)).join() === iso(cronersBetween(text, zone, ...window)).join()
  })
  t.notThrows(() => fc.assert(property, { numRuns: 15 }))
})

// @promise cron
test('the nights of both changes are as written down here', (t) => {
  const rows: [string, string, string, string[]][] = [
    // Spring in Berlin: there is no 02:30 on 29 March 2026. Autumn: 02:30 comes twice on 25 October 2026.
    ['30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', ['2026-03-30T00:30']],
    ['30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', ['2026-10-25T00:30', '2026-10-25T01:30', '2026-10-26T01:30']],
    // New York: no 02:30 on 8 March 2026, and 01:30 twice on 1 November 2026.
    ['30 2 * * *', 'America/New_York', '2026-03-07T12:00Z', ['2026-03-09T06:30']],
    [
      '30 1 * * *',
      'America/New_York',
      '2026-10-31T12:00Z',
      ['2026-11-01T05:30', '2026-11-01T06:30', '2026-11-02T06:30'],
    ],
  ]
  for (const [text, zone, after, fires] of rows)
    t.deepEqual(iso(nextFires(parseCron(text), zone, new Date(after), fires.length)), fires, `${text} in ${zone}`)
})

test('in every kind of zone, the fires of any six days are the minutes at which its wall clock matches', (t) => {
  // Half an hour of daylight saving, changes at midnight, a Ramadan without it, odd offsets, both ends of the day.
  const odd = [
    'Australia/Lord_Howe',
    'America/Santiago',
    'Africa/Cairo',
    'Africa/Casablanca',
    'Asia/Kathmandu',
    'America/St_Johns',
    'Pacific/Kiritimati',
    'Pacific/Niue',
    'Atlantic/Azores',
    'Europe/London',
  ]
  const windows = odd.flatMap((zone) => {
    const starts = changesOf(zone, Date.UTC(2026, 0, 1), Date.UTC(2028, 0, 1)).map(({ at }) => at - 3 * dayMs)
    return [...starts, Date.UTC(2028, 1, 26)].map((from) => ({ zone, from }))
  })
  t.true(windows.length > 30)
  const anyMinute = fc.integer({ min: 0, max: 2 * dayMs })
  const property = fc.property(
    nightly.filter(comes),
    fc.constantFrom(...windows),
    anyMinute,
    (text, { zone, from }, later) => {
      const cron = parseCron(text)
      const [after, until] = [from + later, from + later + 4 * dayMs]
      const expected: number[] = []
      for (let at = Math.floor(after / 60_000 + 1) * 60_000; at <= until; at += 60_000) {
        const wall = new Date(wallMs(zone, at))
        const byDate = cron.dayOfMonth.includes(wall.getUTCDate())
        const byWeekday = cron.dayOfWeek.includes(wall.getUTCDay())
        const onDay = cron.eitherDay ? byDate || byWeekday : byDate && byWeekday
        if (onDay && cron.minute.includes(wall.getUTCMinutes()) && cron.hour.includes(wall.getUTCHours()))
          expected.push(at)
      }
      return iso(oursBetween(text, zone, after, until)).join() === iso(expected).join()
    },
  )
  t.notThrows(() => fc.assert(property, { numRuns: 15 }))
})

test('where it is still the month before, or already the next one, its fires are found', (t) => {
  const next = (text: string, zone: string, after: string) => iso(nextFires(parseCron(text), zone, new Date(after), 1))
  t.deepEqual(next('0 23 31 10 *', 'America/New_York', '2026-11-01T02:00Z'), ['2026-11-01T03:00'])
  t.deepEqual(next('0 1 1 11 *', 'Pacific/Auckland', '2026-10-31T11:00Z'), ['2026-10-31T12:00'])
})

test('the time after which is left out, the time until which is included, and the limit is kept', (t) => {
  const cron = parseCron('0 * * * *')
  const at = (time: string): Date => new Date(`2026-11-21T${time}Z`)
  t.deepEqual(iso(firesBetween(cron, 'UTC', at('10:00'), at('12:00'), 9)), ['2026-11-21T11:00', '2026-11-21T12:00'])
  t.deepEqual(iso(firesBetween(cron, 'UTC', at('09:59:59.999'), at('11:59:59.999'), 9)), [
    '2026-11-21T10:00',
    '2026-11-21T11:00',
  ])
  t.deepEqual(iso(firesBetween(cron, 'UTC', at('10:00'), at('20:00'), 1)), ['2026-11-21T11:00'])
  t.deepEqual(firesBetween(cron, 'UTC', at('12:00'), at('10:00'), 9), [])
  t.deepEqual(firesBetween(cron, 'UTC', at('10:00'), at('20:00'), 0), [])
})

test('29 February is found in leap years only, also after the year 2100, which is none', (t) => {
  const cron = parseCron('0 12 29 2 *')
  const years = (after: string, count: number): number[] =>
    nextFires(cron, 'Europe/Berlin', new Date(after), count).map((fire) => fire.getUTCFullYear())
  t.deepEqual(years('2026-11-21', 10), [2028, 2032, 2036, 2040, 2044, 2048, 2052, 2056, 2060, 2064])
  t.deepEqual(years('2096-02-29T11:00:00Z', 2), [2104, 2108])
  t.deepEqual(iso(nextFires(cron, 'America/New_York', new Date('2027-01-01'), 1)), ['2028-02-29T17:00'])
  // A Sunday as well, since a field contains a *: 2032 has it, and then none for 28 years.
  t.deepEqual(iso(nextFires(parseCron('0 0 29 2 */7'), 'UTC', new Date('2026-11-21'), 9)), [
    '2032-02-29T00:00',
    '2060-02-29T00:00',
  ])
  t.is(nextFires(parseCron('0 3 1 1 *'), 'Asia/Kathmandu', new Date('2026-11-21'), 10).length, 10)
})
