import test from 'ava'
import * as fc from 'fast-check'
import { isCoded } from '../../../../src/errors.ts'
import { parseCron } from '../../../../src/schedules/cron/cron.ts'
import { describeCron, warningsOf } from '../../../../src/schedules/cron/describe.ts'
import { assertTimeZone, canonicalTimeZone } from '../../../../src/schedules/cron/time-zone.ts'
import { comes } from './clocks.ts'
import { expressions } from './random-expressions.ts'

/** The sentence with which something is refused; its only detail must say the same, at the path. */
function refusal(path: string, attempt: () => unknown): string | undefined {
  try {
    attempt()
    return undefined
  } catch (error) {
    if (!isCoded(error, 'VALIDATION_ERROR')) throw error
    const [detail, ...more] = error.details ?? []
    return detail?.path === path && detail.message === error.message && more.length === 0 ? error.message : undefined
  }
}

const all = (from: number, to: number, step = 1): number[] =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step)

// @promise cron
test('expressions are read as crontab reads them', (t) => {
  const fields = (text: string) => {
    const { minute, hour, dayOfMonth, month, dayOfWeek } = parseCron(text)
    return [minute, hour, dayOfMonth, month, dayOfWeek]
  }
  const [days, months, weekdays] = [all(1, 31), all(1, 12), all(0, 6)]
  const rows: [string, number[][]][] = [
    ['* * * * *', [all(0, 59), all(0, 23), days, months, weekdays]],
    ['0 9 * * 1-5', [[0], [9], days, months, all(1, 5)]],
    ['*/15 8-18/5 1,15 * *', [[0, 15, 30, 45], [8, 13, 18], [1, 15], months, weekdays]],
    ['5,3,4,3-5 00 01 * *', [[3, 4, 5], [0], [1], months, weekdays]],
    ['0 0 * JAN,feb-Apr,dEc SUN', [[0], [0], days, [1, 2, 3, 4, 12], [0]]],
    ['0 0 * * 7', [[0], [0], days, months, [0]]],
    ['0 0 * * 5-7', [[0], [0], days, months, [0, 5, 6]]],
    ['0 0 * * fri-sun', [[0], [0], days, months, [0, 5, 6]]],
    ['0 0 * * sun-tue', [[0], [0], days, months, [0, 1, 2]]],
    ['0 0 * * sun-sun', [[0], [0], days, months, [0]]],
    ['0 0 * * 0-7', [[0], [0], days, months, weekdays]],
    ['0 0 * * */7', [[0], [0], days, months, [0]]],
    ['0 0 * * 1-7/2', [[0], [0], days, months, [0, 1, 3, 5]]],
    ['*/60 */24 */31 */12 *', [[0], [0], [1], [1], weekdays]],
    ['*,7 0-23 * * *', [all(0, 59), all(0, 23), days, months, weekdays]],
    ['10-20/3 5-5 * * *', [[10, 13, 16, 19], [5], days, months, weekdays]],
    ['0 0 29 2 *', [[0], [0], [29], [2], weekdays]],
    ['0 0 30 2,3 *', [[0], [0], [30], [2, 3], weekdays]],
    ['0 0 31 2 1', [[0], [0], [31], [2], [1]]],
    ['  0\t0   * * *\t', [[0], [0], days, months, weekdays]],
  ]
  for (const [text, expected] of rows) t.deepEqual(fields(text), expected, text)
  t.is(parseCron('  0\t0   * Jan *\t').text, '0 0 * Jan *')
})

test('either day is enough only where both day fields are without a *', (t) => {
  const rows: [string, boolean][] = [
    ['0 0 13 * 5', true],
    ['0 0 1-31 * 0-6', true],
    ['0 0 1-31/2 * mon', true],
    ['0 0 * * 5', false],
    ['0 0 13 * *', false],
    ['0 0 */2 * 5', false],
    ['0 0 13 * */2', false],
    ['0 0 1,* * 5', false],
  ]
  for (const [text, expected] of rows) t.is(parseCron(text).eitherDay, expected, text)
})

test('what is wrong with an expression is said, and where', (t) => {
  const rows: [string, RegExp][] = [
    ['', /^The expression has no fields; it must have five: minute hour day-of-month month day-of-week\.$/],
    ['* * * *', /^The expression has 4 fields; it must have five/],
    ['0 0 0 * * *', /has 6 fields; .* Seconds and years are not supported; leave them out\.$/],
    ['0 0 0 * * * 2027', /has 7 fields; /],
    ['@daily', /^"@daily" is not supported; write "0 0 \* \* \*" instead\.$/],
    ['@WEEKLY', /write "0 0 \* \* 0" instead/],
    ['@hourly', /write "0 \* \* \* \*" instead/],
    ['@reboot', /"@reboot" is not supported; write five fields/],
    ['@every 5m', /"@every" is not supported; write five fields/],
    ['CRON_TZ=Europe/Berlin 0 0 * * *', /must not name a zone \("CRON_TZ=Europe\/Berlin"\); give it as timeZone\.$/],
    ['60 * * * *', /^The minute field, "60", must be \*, or numbers from 0 to 59,/],
    ['0 25 * * *', /^The hour field, "25", must be \*, or numbers from 0 to 23,/],
    ['0 0 0 * *', /^The day-of-month field, "0", must be \*, or numbers from 1 to 31,/],
    ['0 0 * 13 *', /^The month field, "13", must be \*, or numbers from 1 to 12 or names from jan to dec,/],
    ['0 0 * * 8', /^The day-of-week field, "8", must be \*, or numbers from 0 to 7 or names from sun to sat,/],
    ['0 0 * * monday', /^The day-of-week field, "monday", must/],
    ['0 0 * mon *', /^The month field, "mon", must/],
    ['1,99,3 * * * *', /^The minute field, "1,99,3", has "99", which must be \*, or numbers/],
    ['1,,3 * * * *', /^The minute field, "1,,3", must have something before and after each comma\.$/],
    ['1, * * * *', /comma/],
    ['5/15 * * * *', /^The minute field, "5\/15", must have a range before its "\/"; write 5-59\/15 or \*\/15\.$/],
    ['0 0 * * fri/2', /must have a range before its "\/"; write fri-6\/2 or/],
    ['5-1 * * * *', /^The minute field, "5-1", must not have an empty range/],
    ['0 0 * * fri-mon', /must not have an empty range/],
    ['*/0 * * * *', /^The minute field, "\*\/0", must have a step from 1 to 60/],
    ['*/61 * * * *', /step from 1 to 60/],
    ['0 */25 * * *', /^The hour field, "\*\/25", must have a step from 1 to 24/],
    ['*/ * * * *', /must have a step/],
    ['1-9/2/2 * * * *', /must have a step/],
    ['*/x * * * *', /must have a step/],
    ['1-2-3 * * * *', /^The minute field, "1-2-3", must be/],
    ['-1 * * * *', /must be/],
    ['1.5 * * * *', /must be/],
    ['+1 * * * *', /must be/],
    ['0x1 * * * *', /must be/],
    ['** * * * *', /must be/],
    ['٣ * * * *', /must be/],
    ['0\n0 * * * *', /The minute field/],
    ['0 0 L * *', /^The day-of-month field, "L", must not contain "L"/],
    ['0 0 L-3 * *', /must not contain "L"/],
    ['0 0 LW * *', /must not contain "L"/],
    ['0 0 * * 5L', /^The day-of-week field, "5L", must not contain "L"/],
    ['0 0 15W * *', /^The day-of-month field, "15W", must not contain "W"/],
    ['0 0 * * 5#2', /^The day-of-week field, "5#2", must not contain "#"/],
    ['0 0 ? * *', /^The day-of-month field, "\?", must not contain "\?"; write \*/],
    ['0 0 30 2 *', /^The date never occurs: no month of "2" has a day "30"\.$/],
    ['0 0 31 feb,4,6 *', /^The date never occurs: no month of "feb,4,6" has a day "31"\.$/],
    ['0 0 31 2 */2', /^The date never occurs/],
    [`0 0 * * ${'1,'.repeat(97)}1`, /longer than 200/],
  ]
  for (const [text, expected] of rows) {
    t.regex(refusal('cron', () => parseCron(text)) ?? 'accepted, or refused in another way', expected, text)
  }
})

test('whatever text is given, it is read or refused, and what was read reads the same again', (t) => {
  const pieces = fc.constantFrom('*', '/', '-', ',', ' ', '0', '7', '31', '60', 'mon', 'JAN', '@', '?', 'L', '\t', 'é')
  const texts = fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.array(pieces, { maxLength: 60 }).map((some) => some.join('')),
    expressions,
  )
  const property = fc.property(texts, (text) => {
    if (refusal('cron', () => parseCron(text)) !== undefined) return
    const cron = parseCron(text)
    t.like(parseCron(cron.text), cron)
  })
  t.notThrows(() => fc.assert(property, { numRuns: 2000 }))
})

test('zones are IANA names; anything else is refused, with the name that is near', (t) => {
  for (const name of [
    'Europe/Berlin',
    'europe/BERLIN',
    'UTC',
    'utc',
    'US/Pacific',
    'Etc/GMT+1',
    'Asia/Kolkata',
    'EST5EDT',
    'CET',
  ]) {
    t.notThrows(() => assertTimeZone(name), name)
  }
  const rows: [string, RegExp][] = [
    ['Berlin', /^"Berlin" is not the name of a time zone \(IANA\)\. Did you mean Europe\/Berlin\?$/],
    ['New York', /Did you mean America\/New_York\?$/],
    ['Europe/Berln', /Did you mean Europe\/Berlin\?$/],
    ['Europe / Berlin', /Did you mean Europe\/Berlin\?$/],
    [' Europe/Berlin', /Did you mean Europe\/Berlin\?$/],
    ['+01:00', /^"\+01:00" is not .* Write a name such as/],
    ['-0500', /Write a name such as/],
    ['GMT+1', /is not the name/],
    ['', /^"" is not/],
    ['CEST', /is not the name/],
    // Node would take these for Dhaka, Los Angeles and Calcutta.
    ['BST', /is not the name/],
    ['PST', /is not the name/],
    ['ist', /is not the name/],
    ['SystemV/PST8', /is not the name/],
    ['../../etc/passwd', /is not the name/],
    ['Europe/Berlin\n', /is not the name/],
    ['x'.repeat(10_000), /^"x{64}" is not/],
  ]
  for (const [name, expected] of rows) {
    t.regex(refusal('timeZone', () => assertTimeZone(name)) ?? 'accepted, or refused in another way', expected, name)
  }
})

test('a zone gets its right case, and an alias stays the alias it is', (t) => {
  const names = ['europe/berlin', 'AMERICA/new_york', 'utc', 'Europe/Kyiv', 'Asia/Kolkata'].map(canonicalTimeZone)
  t.deepEqual(names, ['Europe/Berlin', 'America/New_York', 'UTC', 'Europe/Kyiv', 'Asia/Kolkata'])
  t.throws(() => canonicalTimeZone('Berlin'), { message: /Did you mean/ })
})

test('an expression is described in plain words, and where either day is enough they say so', (t) => {
  const rows: [string, string][] = [
    ['0 9 * * 1-5', 'At 09:00, Monday through Friday'],
    ['0 9 13 * 5', 'At 09:00, on day 13 of the month or on Friday (either is enough)'],
    ['0 9 13 * fri-sun', 'At 09:00, on day 13 of the month or Friday through Sunday (either is enough)'],
    ['30 4 1-7 3 MON', 'At 04:30, between day 1 and 7 of the month or on Monday (either is enough), only in March'],
    ['0 9 1-31 6 5', 'At 09:00, every day, only in June'],
    ['0 0 */2 * 1', 'At 00:00, every 2 days in a month, only on Monday'],
    ['*/60 0 * * 0-7', 'At 00:00, every day'],
    ['5,10-20/5 0 * * *', 'At 5, 10, 15, and 20 minutes past the hour, at 00:00, every day'],
    ['* * * * *', 'Every minute, every hour, every day'],
    // What is named twice is said once; what is named once is said in the order in which it was written.
    ['0 9 * * MON,2,TUE', 'At 09:00, only on Monday and Tuesday'],
    ['0 9 * * tue,mon', 'At 09:00, only on Tuesday and Monday'],
    ['0 9 * * 7,sat,0', 'At 09:00, only on Sunday and Saturday'],
    ['0 9 * * 1-5,3', 'At 09:00, Monday through Friday'],
    ['0 9 1,1,15 jan,1,feb *', 'At 09:00, on day 1 and 15 of the month, only in January and February'],
    ['1,1,2 9 * * *', 'At 1 and 2 minutes past the hour, at 09:00, every day'],
  ]
  for (const [text, words] of rows) t.is(describeCron(parseCron(text), 'UTC'), `${words}, in the time of UTC.`, text)
})

test('every expression can be described, on one line and without leftovers of the expression', (t) => {
  const property = fc.property(expressions.filter(comes), (text) => {
    const words = describeCron(parseCron(text), 'Europe/Berlin')
    return /^[A-Z][\w ,:()]+, in the time of Europe\/Berlin\.$/.test(words) && !/undefined|null|NaN/.test(words)
  })
  t.notThrows(() => fc.assert(property, { numRuns: 1000 }))
})

test('what may surprise is said: missing days, steps, both days, and what the next changes of clocks do', (t) => {
  const now = new Date('2026-11-21T12:00:00Z')
  const warnings = (text: string, timeZone = 'UTC') =>
    warningsOf(parseCron(text), timeZone, now).map(({ code, message }) => `${code}: ${message}`)

  for (const text of [
    '0 9 * * 1-5',
    '*/5 * * * *',
    '0 */6 * * *',
    '0 0 1,28 * *',
    '0 0 13 * 5',
    '0 0 31 1,3 *',
    '0 0 * */3 *',
  ]) {
    t.deepEqual(warnings(text), [], text)
  }
  t.deepEqual(warnings('0 0 31 * *'), [
    'day_not_in_every_month: Day 31 does not exist in February, April, June, September, and November; it is skipped there.',
  ])
  t.deepEqual(warnings('0 0 30 1-3 *'), [
    'day_not_in_every_month: Day 30 does not exist in February; it is skipped there.',
  ])
  t.deepEqual(warnings('0 0 29 * *'), [
    'day_not_in_every_month: Day 29 exists in February in leap years only; it is skipped there in other years.',
  ])
  t.deepEqual(warnings('0 0 29 2 *'), [
    'leap_years_only: February has a day 29 in leap years only; other years are skipped.',
  ])
  t.deepEqual(warnings('*/7 */5 */2 */5 *'), [
    'step_begins_anew: "*/7" is not every 7 minutes throughout: the count restarts each hour.',
    'step_begins_anew: "*/5" is not every 5 hours throughout: the count restarts each day.',
    'step_begins_anew: "*/2" is not every 2 days throughout: the count restarts on the 1st of each month.',
    'step_begins_anew: "*/5" is not every 5 months throughout: the count restarts each January.',
  ])
  t.deepEqual(warnings('0 0 13 * */2'), [
    'both_days_must_match: The day-of-month field, "13", and the day-of-week field, "*/2", must both match, because one of them contains a *.',
    'step_begins_anew: "*/2" is not every 2 days throughout: the count restarts each Sunday.',
  ])
  t.deepEqual(warnings('30 2 * * *', 'Europe/Berlin'), [
    'skipped_by_clock_change: The fire at 02:30 on 2027-03-28 does not take place: the clocks of Europe/Berlin go from 02:00 on to 03:00.',
    'doubled_by_clock_change: The fire at 02:30 on 2027-10-31 takes place twice: the clocks of Europe/Berlin go from 03:00 back to 02:00.',
  ])
  t.deepEqual(warnings('*/20 1-3 * * *', 'America/New_York'), [
    'skipped_by_clock_change: Each fire from 02:00 to 02:40 on 2027-03-14 does not take place: the clocks of America/New_York go from 02:00 on to 03:00.',
    'doubled_by_clock_change: Each fire from 01:00 to 01:40 on 2027-11-07 takes place twice: the clocks of America/New_York go from 02:00 back to 01:00.',
  ])
  // Half an hour: what fires in every hour loses its step there, too.
  t.deepEqual(warnings('45 * 4 4 *', 'Australia/Lord_Howe'), [
    'doubled_by_clock_change: The fire at 01:45 on 2027-04-04 takes place twice: the clocks of Australia/Lord_Howe go from 02:00 back to 01:30.',
  ])
  t.deepEqual(warnings('15 * 3 10 *', 'Australia/Lord_Howe'), [
    'skipped_by_clock_change: The fire at 02:15 on 2027-10-03 does not take place: the clocks of Australia/Lord_Howe go from 02:00 on to 02:30.',
  ])
  // Mondays have no changes, hours by day neither; what fires in every hour goes on in step; and Tokyo has none.
  for (const text of ['30 2 * * 1', '30 4 * * *', '*/5 * * * *']) t.deepEqual(warnings(text, 'Europe/Berlin'), [], text)
  t.deepEqual(warnings('30 2 * * *', 'Asia/Tokyo'), [])
})
