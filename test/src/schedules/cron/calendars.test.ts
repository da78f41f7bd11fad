import test from 'ava'
import * as fc from 'fast-check'
import { toCalendars, type Calendar } from '../../../../src/schedules/cron/calendars.ts'
import { parseCron } from '../../../../src/schedules/cron/cron.ts'
import { firesBetween } from '../../../../src/schedules/cron/fire-times.ts'
import { comes } from './clocks.ts'
import { expressions } from './random-expressions.ts'

const dayMs = 86_400_000

test('in any zone, whatever its offsets, the calendars contain every fire', (t) => {
  const zones = Intl.supportedValuesOf('timeZone')
  const start = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2036, 0, 1) })
  const property = fc.property(expressions.filter(comes), fc.constantFrom(...zones), start, (text, timeZone, after) => {
    const cron = parseCron(text)
    const calendars = toCalendars(cron, timeZone)
    const fires = firesBetween(cron, timeZone, new Date(after), new Date(after + 400 * dayMs), 200)
    return calendars.length <= 64 && fires.every((fire) => calendars.some((calendar) => matches(calendar, fire)))
  })
  t.notThrows(() => fc.assert(property, { numRuns: 40 }))
})

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']
const weekdays = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

function matches({ minute, hour, dayOfMonth, month, dayOfWeek }: Calendar, at: Date): boolean {
  const within = (ranges: { start: number; end: number }[], value: number): boolean =>
    ranges.some(({ start, end }) => value >= start && value <= end)
  const named = (ranges: { start: string; end: string }[], names: string[]) =>
    ranges.map(({ start, end }) => ({ start: names.indexOf(start.slice(0, 3)), end: names.indexOf(end.slice(0, 3)) }))
  return (
    within(minute, at.getUTCMinutes()) &&
    within(hour, at.getUTCHours()) &&
    within(dayOfMonth, at.getUTCDate()) &&
    within(named(month, months), at.getUTCMonth()) &&
    within(named(dayOfWeek, weekdays), at.getUTCDay())
  )
}

test('the calendars are few, in UTC, and say what they come from', (t) => {
  const all = (text: string, timeZone: string) =>
    toCalendars(parseCron(text), timeZone).map(({ minute, hour, dayOfMonth, dayOfWeek, comment }) => {
      const ranges = [minute, hour, dayOfMonth, dayOfWeek].map((list) =>
        list.map(({ start, end }) => (start === end ? String(start) : `${start}-${end}`)).join(),
      )
      return [...ranges, comment].join(' | ')
    })
  t.deepEqual(all('30 2 * * *', 'Europe/Berlin'), ['30 | 0-1 | 1-31 | SUNDAY-SATURDAY | 30 2 * * * Europe/Berlin'])
  t.deepEqual(all('0 9 * * 1-5', 'America/New_York'), [
    '0 | 13-14 | 1-31 | MONDAY-FRIDAY | 0 9 * * 1-5 America/New_York',
  ])
  t.deepEqual(all('0 9 13 * 5', 'UTC'), [
    '0 | 9 | 13 | SUNDAY-SATURDAY | 0 9 13 * 5 UTC',
    '0 | 9 | 1-31 | FRIDAY | 0 9 13 * 5 UTC',
  ])
  t.deepEqual(all('0 1 1 1 *', 'Asia/Tokyo'), ['0 | 16 | 31 | SUNDAY-SATURDAY | 0 1 1 1 * Asia/Tokyo'])
  const long = `${Array.from({ length: 60 }, (_, minute) => minute).join()} * * * *`
  t.true(toCalendars(parseCron(long), 'America/Argentina/ComodRivadavia').every(({ comment }) => comment.length <= 200))
})
