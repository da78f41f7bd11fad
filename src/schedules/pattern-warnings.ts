import { daysOfMonth, type Cron } from './cron.ts'

/** What may surprise about an expression: a code for programs and a sentence for people. */
export interface ScheduleWarning {
  code:
    | 'day_not_in_every_month'
    | 'leap_years_only'
    | 'step_begins_anew'
    | 'both_days_must_match'
    | 'skipped_by_clock_change'
    | 'doubled_by_clock_change'
  message: string
}

const monthNames = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

const listOf = new Intl.ListFormat('en')

/** Warns of days that not every month has, and of a `*` in one day field that makes both fields necessary. */
export function dayWarnings(cron: Cron): ScheduleWarning[] {
  const [, , dayOfMonth = '', , dayOfWeek = ''] = cron.text.split(' ')
  // What contains a * was written for its rhythm, not for its last days.
  const days = dayOfMonth.includes('*') ? [] : cron.dayOfMonth.filter((day) => day > 28)
  const partial = cron.dayOfMonth.length < 31 ? days.flatMap((day) => missing(day, cron)) : []
  const both = !cron.eitherDay && cron.dayOfMonth.length < 31 && cron.dayOfWeek.length < 7
  if (!both) return partial
  const message =
    `The day-of-month field, "${dayOfMonth}", and the day-of-week field, "${dayOfWeek}", must both match, ` +
    'because one of them contains a *.'
  return [...partial, { code: 'both_days_must_match', message }]
}

function missing(day: number, { month }: Cron): ScheduleWarning[] {
  const without = month.filter((one) => day > daysOfMonth(one)).map((one) => monthNames[one - 1] ?? '')
  if (day === 29 && month.includes(2)) return [leapDay(month.length === 1)]
  if (without.length === 0) return []
  const message = `Day ${day} does not exist in ${listOf.format(without)}; it is skipped there.`
  return [{ code: 'day_not_in_every_month', message }]
}

const leapDay = (alone: boolean): ScheduleWarning =>
  alone
    ? { code: 'leap_years_only', message: 'February has a day 29 in leap years only; other years are skipped.' }
    : { code: 'day_not_in_every_month', message: 'Day 29 does not exist in February, except in leap years.' }

/** Where the counting of a step on `*` begins anew. */
const restarts = [
  { unit: 'minutes', per: 'each hour', values: 60 },
  { unit: 'hours', per: 'each day', values: 24 },
  { unit: 'days', per: 'on the 1st of each month', values: undefined },
  { unit: 'months', per: 'each January', values: 12 },
  { unit: 'days', per: 'each Sunday', values: 7 },
]

/** Warns of `*` with a step that does not divide what it counts: the last interval is shorter than the others. */
export function stepWarnings(cron: Cron): ScheduleWarning[] {
  return cron.text.split(' ').flatMap((text, index) => {
    const { unit, per, values } = restarts[index] ?? {}
    const step = Number(/^\*\/(\d+)$/.exec(text)?.[1] ?? 1)
    if (step === 1 || (values !== undefined && values % step === 0)) return []
    const message = `"${text}" is not every ${step} ${unit} throughout: the counting begins anew ${per}.`
    return [{ code: 'step_begins_anew', message }]
  })
}
