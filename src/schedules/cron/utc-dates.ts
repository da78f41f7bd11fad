import { daysOfMonth, type Cron } from './cron.ts'

/** Dates that match all three lists. */
export interface Dates {
  dayOfMonth: number[]
  month: number[]
  dayOfWeek: number[]
}

const everyDay = upTo(31, 1)
const everyWeekday = upTo(7, 0)

/**
 * The dates of the expression, shifted by -1, 0 or 1 days: its local dates in UTC when the time of day is near
 * midnight. A date matches if one of the results matches. There are several because either day field may be enough, and
 * because the day before the first differs from month to month.
 */
export function utcDates(cron: Cron, shift: number): Dates[] {
  const { dayOfMonth, month, dayOfWeek, eitherDay } = cron
  const local: Dates[] = eitherDay
    ? [
        { dayOfMonth, month, dayOfWeek: everyWeekday },
        { dayOfMonth: everyDay, month, dayOfWeek },
      ]
    : [{ dayOfMonth, month, dayOfWeek }]
  return shift === 0 ? local : local.flatMap((dates) => shifted(dates, shift))
}

function shifted(dates: Dates, shift: number): Dates[] {
  const dayOfWeek = dates.dayOfWeek.map((day) => (day + shift + 7) % 7).toSorted((a, b) => a - b)
  if (dates.dayOfMonth.length === 31 && dates.month.length === 12) return [{ ...dates, dayOfWeek }]
  const inMonth = dates.dayOfMonth.map((day) => day + shift).filter((day) => day >= 1 && day <= 31)
  const across = shift < 0 ? beforeTheFirst(dates) : afterTheLast(dates)
  return [{ dayOfMonth: inMonth, month: dates.month }, ...across]
    .filter(({ dayOfMonth, month }) => dayOfMonth.length > 0 && month.length > 0)
    .map((shifted) => ({ ...shifted, dayOfWeek }))
}

/** The last days of the previous months, by month length; February has two. */
function beforeTheFirst({ dayOfMonth, month }: Dates): Omit<Dates, 'dayOfWeek'>[] {
  if (!dayOfMonth.includes(1)) return []
  const before = month.map((one) => (one === 1 ? 12 : one - 1)).toSorted((a, b) => a - b)
  return [[31], [30], [28, 29]].map((last) => ({
    dayOfMonth: last,
    month: before.filter((one) => last.includes(daysOfMonth(one))),
  }))
}

/** The first of each month after one whose last day is listed. */
function afterTheLast({ dayOfMonth, month }: Dates): Omit<Dates, 'dayOfWeek'>[] {
  const ending = month.filter((one) => dayOfMonth.includes(daysOfMonth(one)) || (one === 2 && dayOfMonth.includes(28)))
  return [{ dayOfMonth: [1], month: ending.map((one) => (one % 12) + 1).toSorted((a, b) => a - b) }]
}

function upTo(count: number, first: number): number[] {
  return Array.from({ length: count }, (_, index) => first + index)
}
