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
    ['30 4 1-7 3 MON', 'At 04:30, between day 1 and 7 of the month or on Monday (either is enough), only in March'],
    ['0 9 1-31 6 5', 'At 09:00, every day, only in June'],
    ['0 0 */2 * 1', 'At 00:00, every 2 days in a month, only on Monday'],
    ['*/60 0 * * 0-7', 'At 00:00, every day'],
    ['5,10-20/5 0 * * *', 'At 5, 10, 15, and 20 minutes past the hour, at 00:00, every day'],
    // What is named twice is said once; what is named once is said in the order in which it was written.
    ['0 9 * * tue,mon', 'At 09:00, only on Tuesday and Monday'],
    ['0 9 * * 7,sat,0', 'At 09:00, only on Sunday and Saturday'],
    ['0 9 * * 1-5,3', 'At 09:00, Monday through Friday'],
    ['0 9 1,1,15 jan,1,feb *', 'At 09:00, on day 1 and 15 of the month, only in January and February'],
  ]
  for (const [text, words] of rows) t.is(describeCron(parseCron(text), 'UTC'), `${words}, UTC time.`, text)
})

test('every expression can be described, on one line and without leftovers of the expression', (t) => {
  const property = fc.property(expressions.filter(comes), (text) => {
    const words = describeCron(parseCron(text), 'Europe/Berlin')
    return /^[A-Z][\w ,:()]+, Europe\/Berlin time\.$/.test(words) && !/undefined|null|NaN/.test(words)
  })
  t.notThrows(() => fc.assert(property, { numRuns: 50 }))
})

test('warnings are of the days, of steps, and of the next changes of clocks', (t) => {
  const now = new Date('2026-11-21T12:00:00Z')
  const codes = (text: string) => warningsOf(parseCron(text), 'Europe/Berlin', now).map(({ code }) => code)
  t.deepEqual(codes('*/7 2 31 * */2'), [
    'day_not_in_every_month',
    'both_days_must_match',
    'step_begins_anew',
    'step_begins_anew',
    'doubled_by_clock_change',
  ])
  t.deepEqual(codes('0 9 * * 1-5'), [])
})
