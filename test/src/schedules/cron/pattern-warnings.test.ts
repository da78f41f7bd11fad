import test from 'ava'
import * as fc from 'fast-check'
import { parseCron } from '../../../../src/schedules/cron/cron.ts'
import { firesBetween } from '../../../../src/schedules/cron/fire-times.ts'
import { dayWarnings, stepWarnings } from '../../../../src/schedules/cron/pattern-warnings.ts'
import { comes } from './clocks.ts'

const said = (warnings: ReturnType<typeof dayWarnings>): string[] =>
  warnings.map(({ code, message }) => `${code}: ${message}`)

test('of a day that is missing, only what is true beside other days and days of the week is said', (t) => {
  const warnings = (text: string) => said(dayWarnings(parseCron(text)))
  const leap = 'leap_years_only: February has 29 days only in leap years, so other years are skipped.'
  const beside = 'day_not_in_every_month: February has 29 days only in leap years, so it is skipped in other years'
  const without = (day: number, months: string) =>
    `day_not_in_every_month: Day ${day} is skipped in ${months} because it does not exist there`
  const short = 'February, April, June, September, and November'
  const but = (weekdays: string) => `, but the day-of-week field, "${weekdays}", still matches`
  const rows: [string, string[]][] = [
    ['0 0 1-29 2 *', [`${beside}.`]],
    ['0 9 29 2 1', [`${beside}${but('1')}.`]],
    ['0 9 29 2,3 *', [`${beside}.`]],
    ['0 9 29-31 2 *', [leap, `${without(30, 'February')}.`, `${without(31, 'February')}.`]],
    ['0 9 31 * 1', [`${without(31, short)}${but('1')}.`]],
    ['0 9 31 * 0-6', []],
    ['0 9 29 2 sun-sat', []],
    ['0 0 31 * *', [`${without(31, short)}.`]],
    ['0 0 30 1-3 *', [`${without(30, 'February')}.`]],
    ['0 0 29 * *', [`${beside}.`]],
    ['0 0 29 2 *', [leap]],
    ['0 0 31 1,3 *', []],
    ['0 0 * * 5', []],
  ]
  for (const [text, expected] of rows) t.deepEqual(warnings(text), expected, text)
  t.is(warnings('0 0 29 2 */7')[0], leap)
})

test('a * in one of two day fields is said to make both necessary', (t) => {
  const both = (dayOfMonth: string, dayOfWeek: string) =>
    `both_days_must_match: The day-of-month field, "${dayOfMonth}", and the day-of-week field, "${dayOfWeek}", must both match, because one of them contains a *.`
  const warnings = (text: string) => said(dayWarnings(parseCron(text)))
  t.deepEqual(warnings('0 0 13 * */2'), [both('13', '*/2')])
  t.deepEqual(warnings('0 0 */2 * 1-5'), [both('*/2', '1-5')])
  t.deepEqual(warnings('0 0 */1 * 1-5'), [], 'all days of the month')
  t.deepEqual(warnings('0 0 13 * */1'), [], 'all days of the week')
})

test('a step that does not divide its field is said to begin anew', (t) => {
  const warnings = (text: string) => said(stepWarnings(parseCron(text)))
  t.deepEqual(warnings('*/7 */5 */2 */5 */2'), [
    'step_begins_anew: "*/7" does not always mean every 7 minutes because the count restarts each hour.',
    'step_begins_anew: "*/5" does not always mean every 5 hours because the count restarts each day.',
    'step_begins_anew: "*/2" does not always mean every 2 days because the count restarts on the 1st of each month.',
    'step_begins_anew: "*/5" does not always mean every 5 months because the count restarts each January.',
    'step_begins_anew: "*/2" does not always mean every 2 days because the count restarts each Sunday.',
  ])
  for (const text of [
    '*/5 */6 * */3 *',
    '*/1 */1 */1 */1 */1',
    '*/20 */24 1 */12 */7',
    '1-9/7 0-9/5 * * *',
    '*/7,1 * * * *',
  ])
    t.deepEqual(warnings(text), [], text)
})

test('leap years are said to be the only ones of exactly what never fires in others', (t) => {
  const day = fc.constantFrom('29', '28', '30', '29-31', '28,29', '1-29', '29,31', '31')
  const month = fc.constantFrom('2', 'feb', '2,3', '2-12/4', '4')
  const weekday = fc.constantFrom('*', '*/7', '*/3', '0', '1-5', '0-6')
  const texts = fc.tuple(day, month, weekday).map((fields) => `0 0 ${fields.join(' ')}`)
  // No leap years; each date comes on each day of the week.
  const years = Array.from({ length: 20 }, (_, index) => 2025 + index).filter((year) => year % 4 !== 0)
  const property = fc.property(texts.filter(comes), (text) => {
    const cron = parseCron(text)
    const never = years.every((year) => {
      const [after, until] = [new Date(Date.UTC(year, 0, 1) - 1), new Date(Date.UTC(year + 1, 0, 1) - 1)]
      return firesBetween(cron, 'UTC', after, until, 1).length === 0
    })
    return dayWarnings(cron).some(({ code }) => code === 'leap_years_only') === never
  })
  t.notThrows(() => fc.assert(property, { numRuns: 50 }))
})
