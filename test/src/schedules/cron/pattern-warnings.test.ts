import test from 'ava'
import * as fc from 'fast-check'
import { parseCron } from '../../../../src/schedules/cron/cron.ts'
import { firesBetween } from '../../../../src/schedules/cron/fire-times.ts'
import { dayWarnings } from '../../../../src/schedules/cron/pattern-warnings.ts'
import { comes } from './clocks.ts'

test('of a day that is missing, only what is true beside other days and days of the week is said', (t) => {
  const warnings = (text: string) => dayWarnings(parseCron(text)).map(({ code, message }) => `${code}: ${message}`)
  const leap = 'leap_years_only: February has a day 29 in leap years only; other years are skipped.'
  const beside =
    'day_not_in_every_month: Day 29 exists in February in leap years only; it is skipped there in other years'
  const without = (day: number, months: string) =>
    `day_not_in_every_month: Day ${day} does not exist in ${months}; it is skipped there`
  const short = 'February, April, June, September, and November'
  const but = (weekdays: string) => `, but the day-of-week field, "${weekdays}", still matches`
  const rows: [string, string[]][] = [
    ['0 0 28,29 2 *', [`${beside}.`]],
    ['0 0 1-29 2 *', [`${beside}.`]],
    ['0 9 29 2 1', [`${beside}${but('1')}.`]],
    ['0 9 29 2 0', [`${beside}${but('0')}.`]],
    ['0 9 29 2,3 *', [`${beside}.`]],
    ['0 9 29-31 2 *', [leap, `${without(30, 'February')}.`, `${without(31, 'February')}.`]],
    ['0 9 31 * 1', [`${without(31, short)}${but('1')}.`]],
    ['0 9 15,31 * mon,fri', [`${without(31, short)}${but('mon,fri')}.`]],
    ['0 9 31 * 0-6', []],
    ['0 9 31 * 1-7', []],
    ['0 9 29 2 sun-sat', []],
    ['0 9 1-31 2 1', []],
  ]
  for (const [text, expected] of rows) t.deepEqual(warnings(text), expected, text)
  t.is(warnings('0 0 29 2 */7')[0], leap)
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
    const said = dayWarnings(cron)
    return said.some(({ code }) => code === 'leap_years_only') === never
  })
  t.notThrows(() => fc.assert(property, { numRuns: 300 }))
})
