// @promise cron
import test from 'ava'
import * as fc from 'fast-check'
import { changeWarnings } from '../../../../src/schedules/cron/change-warnings.ts'
import { parseCron, type Cron } from '../../../../src/schedules/cron/cron.ts'
import { firesBetween } from '../../../../src/schedules/cron/fire-times.ts'
import { changesOf, comes, wallMs } from './clocks.ts'
import { nightly } from './random-expressions.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const now = Date.UTC(2026, 10, 21, 12)

/** Half an hour of daylight saving; two hours; changes at midnight; a Ramadan without it; none at all. */
const zones = [
  'Australia/Lord_Howe',
  'Antarctica/Troll',
  'America/Santiago',
  'Africa/Cairo',
  'Africa/Casablanca',
  'America/St_Johns',
  'Europe/Berlin',
  'Asia/Tokyo',
]

const msBetween = (cron: Cron, zone: string, after: number, until: number): number[] =>
  firesBetween(cron, zone, new Date(after), new Date(until), 100_000).map((fire) => fire.getTime())

/** Which local times of the two days around a change are skipped, and which come twice, by the fires themselves. */
function seen(cron: Cron, zone: string, { at, by }: { at: number; by: number }) {
  const [after, until] = [at - dayMs, at + dayMs]
  const walls = msBetween(cron, zone, after, until).map((fire) => wallMs(zone, fire))
  const shown = new Set(walls)
  const named = msBetween(cron, 'UTC', wallMs(zone, after), wallMs(zone, until))
  const inStep = cron.hour.length === 24 && by % hourMs === 0
  return {
    skipped: inStep ? [] : named.filter((wall) => !shown.has(wall)),
    doubled: inStep ? [] : walls.filter((wall, index) => walls.indexOf(wall) < index),
  }
}

/** The code, the first time, and the last if there are more, as the sentence must have them. */
function expected(code: string, [first, ...more]: number[] = []): string[] {
  if (first === undefined) return []
  const [date = '', from = ''] = new Date(first).toISOString().slice(0, 16).split('T')
  const to = new Date(more.at(-1) ?? first).toISOString().slice(11, 16)
  return [`${code}: ${more.length === 0 ? `The run at ${from}` : `Each run from ${from} to ${to}`} on ${date}`]
}

const changes = zones.map((zone) => ({ zone, list: changesOf(zone, now, now + 400 * dayMs) }))

function agrees(text: string, { zone, list }: (typeof changes)[number]): boolean {
  const cron = parseCron(text)
  const all = list.map((change) => seen(cron, zone, change))
  const wanted = [
    ...expected('skipped_by_clock_change', all.find(({ skipped }) => skipped.length > 0)?.skipped),
    ...expected('doubled_by_clock_change', all.find(({ doubled }) => doubled.length > 0)?.doubled),
  ]
  const said = changeWarnings(cron, zone, new Date(now)).map(({ code, message }) => `${code}: ${message}`)
  return said.length === wanted.length && said.every((one, index) => one.startsWith(wanted[index] ?? 'nothing'))
}

test('the next local time that a change of clocks skips or doubles is warned of, in every kind of zone, and no other', (t) => {
  const property = fc.property(nightly.filter(comes), fc.constantFrom(...changes), agrees)
  t.notThrows(() => fc.assert(property, { numRuns: 40 }))
})

test('what fires in every hour is warned of changes by half an hour, and not of those by whole hours', (t) => {
  const texts = ['* * * * *', '45 * * * *', '15 * * * *', '0 * * * *', '45 * 4 4 *', '15 * 3 10 *']
  for (const text of texts) for (const zone of changes) t.true(agrees(text, zone), `${text} in ${zone.zone}`)
})

test('what the next changes of clocks do is said', (t) => {
  const warnings = (text: string, timeZone: string) =>
    changeWarnings(parseCron(text), timeZone, new Date(now)).map(({ code, message }) => `${code}: ${message}`)
  t.deepEqual(warnings('30 2 * * *', 'Europe/Berlin'), [
    'skipped_by_clock_change: The run at 02:30 on 2027-03-28 is skipped because the clocks in Europe/Berlin go forward from 02:00 to 03:00.',
    'doubled_by_clock_change: The run at 02:30 on 2027-10-31 happens twice because the clocks in Europe/Berlin go back from 03:00 to 02:00.',
  ])
  t.deepEqual(warnings('*/20 1-3 * * *', 'America/New_York'), [
    'skipped_by_clock_change: Each run from 02:00 to 02:40 on 2027-03-14 is skipped because the clocks in America/New_York go forward from 02:00 to 03:00.',
    'doubled_by_clock_change: Each run from 01:00 to 01:40 on 2027-11-07 happens twice because the clocks in America/New_York go back from 02:00 to 01:00.',
  ])
  // Half an hour: what fires in every hour loses its step there, too.
  t.deepEqual(warnings('45 * 4 4 *', 'Australia/Lord_Howe'), [
    'doubled_by_clock_change: The run at 01:45 on 2027-04-04 happens twice because the clocks in Australia/Lord_Howe go back from 02:00 to 01:30.',
  ])
  t.deepEqual(warnings('15 * 3 10 *', 'Australia/Lord_Howe'), [
    'skipped_by_clock_change: The run at 02:15 on 2027-10-03 is skipped because the clocks in Australia/Lord_Howe go forward from 02:00 to 02:30.',
  ])
  // Mondays have no changes, hours by day neither; what fires in every hour goes on in step; and Tokyo has none.
  for (const text of ['30 2 * * 1', '30 4 * * *', '*/5 * * * *']) t.deepEqual(warnings(text, 'Europe/Berlin'), [], text)
  t.deepEqual(warnings('30 2 * * *', 'Asia/Tokyo'), [])
})
