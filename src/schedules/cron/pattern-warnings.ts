import { daysOfMonth, type Cron } from './cron.ts'

export const warningCodes = [
  'day_not_in_every_month',
  'leap_years_only',
  'step_begins_anew',
  'both_days_must_match',
  'skipped_by_clock_change',
  'doubled_by_clock_change',
] as const

/** A surprising property of an expression: a code for programs and a sentence for people. */
export interface ScheduleWarning {
  code: (typeof warningCodes)[number]
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

/** Created on demand: the first formatter costs as much as loading this file and fifty others. */
const listOf = (parts: string[]): string => new Intl.ListFormat('en').format(parts)

/** Warns of days that not every month has, and of a `*` in one day field that makes both fields required. */
export function dayWarnings(cron: Cron): ScheduleWarning[] {
  const [dayOfMonth, dayOfWeek] = dayTexts(cron)
  const both = !cron.eitherDay && cron.dayOfMonth.length < 31 && cron.dayOfWeek.length < 7
  if (!both) return missingDays(cron)
  const message =
    `The day-of-month field, "${dayOfMonth}", and the day-of-week field, "${dayOfWeek}", must both match, ` +
    'because one of them contains a *.'
  return [...missingDays(cron), { code: 'both_days_must_match', message }]
}

function dayTexts({ text }: Cron): [string, string] {
  const [, , dayOfMonth = '', , dayOfWeek = ''] = text.split(' ')
  return [dayOfMonth, dayOfWeek]
}

function missingDays(cron: Cron): ScheduleWarning[] {
  const anyDay = cron.dayOfMonth.length === 31 || (cron.eitherDay && cron.dayOfWeek.length === 7)
  // A field with a * was written for its interval, not for its last days.
  if (anyDay || dayTexts(cron)[0].includes('*')) return []
  return cron.dayOfMonth.filter((day) => day > 28).flatMap((day) => missing(day, cron))
}

function missing(day: number, cron: Cron): ScheduleWarning[] {
  if (day === 29 && cron.month.includes(2)) return [leapDay(cron)]
  const without = cron.month.filter((one) => day > daysOfMonth(one)).map((one) => monthNames[one - 1] ?? '')
  if (without.length === 0) return []
  const message = `Day ${day} is skipped in ${listOf(without)} because it does not exist there${butWeekdays(cron)}.`
  return [{ code: 'day_not_in_every_month', message }]
}

function leapDay(cron: Cron): ScheduleWarning {
  // Days 30 and 31 never occur in February.
  const alone = !cron.eitherDay && cron.month.length === 1 && cron.dayOfMonth.every((day) => day >= 29)
  if (alone) {
    return { code: 'leap_years_only', message: 'February has 29 days only in leap years, so other years are skipped.' }
  }
  const message = `February has 29 days only in leap years, so it is skipped in other years${butWeekdays(cron)}.`
  return { code: 'day_not_in_every_month', message }
}

const butWeekdays = (cron: Cron): string =>
  cron.eitherDay ? `, but the day-of-week field, "${dayTexts(cron)[1]}", still matches` : ''

/** Where the count of a step on `*` restarts. */
const restarts = [
  { unit: 'minutes', per: 'each hour', values: 60 },
  { unit: 'hours', per: 'each day', values: 24 },
  { unit: 'days', per: 'on the 1st of each month', values: undefined },
  { unit: 'months', per: 'each January', values: 12 },
  { unit: 'days', per: 'each Sunday', values: 7 },
]

/** Warns of a step on `*` that does not divide its range: the last interval is shorter than the others. */
export function stepWarnings(cron: Cron): ScheduleWarning[] {
  return cron.text.split(' ').flatMap((text, index) => {
    const { unit, per, values } = restarts[index] ?? {}
    const step = Number(/^\*\/(\d+)$/.exec(text)?.[1] ?? 1)
    if (step === 1 || (values !== undefined && values % step === 0)) return []
    const message = `"${text}" does not always mean every ${step} ${unit} because the count restarts ${per}.`
    return [{ code: 'step_begins_anew', message }]
  })
}
