import test from 'ava'
import { parseCron } from '../../../../src/schedules/cron/cron.ts'
import { utcDates, type Dates } from '../../../../src/schedules/cron/utc-dates.ts'

const upTo = (last: number, first = 1): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)
const [days, months, weekdays] = [upTo(31), upTo(12), upTo(6, 0)]

test('the dates of an expression in UTC are its own, or those of the day before or after', (t) => {
  const all = { dayOfMonth: days, month: months, dayOfWeek: weekdays }
  const on = (dates: Partial<Dates>): Dates => ({ ...all, ...dates })
  const rows: [text: string, shift: number, expected: Dates[]][] = [
    ['0 0 * * *', 0, [all]],
    ['0 0 * * 1,6', 1, [on({ dayOfWeek: [0, 2] })]],
    ['0 0 * * 0,1', -1, [on({ dayOfWeek: [0, 6] })]],
    ['0 0 13 * 5', 0, [on({ dayOfMonth: [13] }), on({ dayOfWeek: [5] })]],
    ['0 0 13 * 5', 1, [on({ dayOfMonth: [14] }), on({ dayOfWeek: [6] })]],
    ['0 0 1 3 *', -1, [on({ dayOfMonth: [28, 29], month: [2] })]],
    ['0 0 1 5,8 *', -1, [on({ dayOfMonth: [31], month: [7] }), on({ dayOfMonth: [30], month: [4] })]],
    ['0 0 1,2 1,2 *', -1, [on({ dayOfMonth: [1], month: [1, 2] }), on({ dayOfMonth: [31], month: [1, 12] })]],
    ['0 0 * 2 *', -1, [on({ dayOfMonth: upTo(30), month: [2] }), on({ dayOfMonth: [31], month: [1] })]],
    ['0 0 30 4,5 *', 1, [on({ dayOfMonth: [31], month: [4, 5] }), on({ dayOfMonth: [1], month: [5] })]],
    ['0 0 28 2,3 *', 1, [on({ dayOfMonth: [29], month: [2, 3] }), on({ dayOfMonth: [1], month: [3] })]],
    ['0 0 29 2 *', 1, [on({ dayOfMonth: [30], month: [2] }), on({ dayOfMonth: [1], month: [3] })]],
    ['0 0 31 1,12 *', 1, [on({ dayOfMonth: [1], month: [1, 2] })]],
    ['0 0 1-31 6 *', 1, [on({ dayOfMonth: upTo(31, 2), month: [6] }), on({ dayOfMonth: [1], month: [7] })]],
  ]
  for (const [text, shift, expected] of rows)
    t.deepEqual(utcDates(parseCron(text), shift), expected, `${text} ${shift}`)
})
