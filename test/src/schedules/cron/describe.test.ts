import test from 'ava'
import * as fc from 'fast-check'
import { parseCron } from '../../../../src/schedules/cron/cron.ts'
import { describeCron, warningsOf } from '../../../../src/schedules/cron/describe.ts'
import { comes } from './clocks.ts'
import { expressions } from './random-expressions.ts'

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
