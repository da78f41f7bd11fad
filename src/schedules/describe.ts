import { toString } from 'cronstrue'
import type { Cron } from './cron.ts'
import { changeWarnings } from './change-warnings.ts'
import { dayWarnings, stepWarnings, type ScheduleWarning } from './pattern-warnings.ts'

/**
 * What the expression means, as one sentence for a person: "At 09:00, Monday through Friday, in the time of
 * Europe/Berlin." Where either day field is enough, it says so.
 */
export function describeCron(cron: Cron, timeZone: string): string {
  const [minute, hour, dayOfMonth, month, dayOfWeek] = plainFields(cron)
  const everyDay = cron.eitherDay && (dayOfMonth === '*' || dayOfWeek === '*')
  const sentence =
    cron.eitherDay && !everyDay
      ? `${inWords(`${minute} ${hour} * * *`).replace(/, every day$/, '')}, ${eitherDay(cron)}${inMonths(month)}`
      : inWords(`${minute} ${hour} ${everyDay ? '* ' : `${dayOfMonth} `}${month} ${everyDay ? '*' : dayOfWeek}`)
  return `${sentence}, in the time of ${timeZone}.`
}

/**
 * What may surprise whoever wrote the expression: days that not every month has, steps that begin anew, both days
 * having to match, and what the next changes of the zone's clocks (within 400 days from `now`) skip or double.
 */
export const warningsOf = (cron: Cron, timeZone: string, now: Date): ScheduleWarning[] => [
  ...dayWarnings(cron),
  ...stepWarnings(cron),
  ...changeWarnings(cron, timeZone, now),
]

const inWords = (expression: string): string =>
  toString(expression, { verbose: true, use24HourTimeFormat: true, logicalAndDayFields: true })

/** The library's own words, "on day 13 of the month, Monday through Friday", could mean that both must match. */
function eitherDay(cron: Cron): string {
  const [, , dayOfMonth, , dayOfWeek] = plainFields(cron)
  const [date, weekday] = [inWords(`0 0 ${dayOfMonth} * *`), inWords(`0 0 * * ${dayOfWeek}`)].map(withoutTime)
  return `${date} or ${weekday} (either is enough)`
}

const inMonths = (month: string): string => (month === '*' ? '' : `, ${withoutTime(inWords(`0 0 * ${month} *`))}`)

const withoutTime = (words: string): string =>
  words.replace(/^At 00:00, (every day, )?/, '').replace(/^only on /, 'on ')

/** The fields without what the library says badly: lists that contain a step or a *, and full or single values in disguise. */
function plainFields(cron: Cron): [string, string, string, string, string] {
  const [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = ''] = cron.text.split(' ')
  return [
    plain(minute, cron.minute, 60),
    plain(hour, cron.hour, 24),
    plain(dayOfMonth, cron.dayOfMonth, 31),
    plain(month, cron.month, 12),
    plain(dayOfWeek, cron.dayOfWeek, 7),
  ]
}

function plain(text: string, values: number[], all: number): string {
  if (values.length === all) return '*'
  return values.length === 1 || (text.includes(',') && /[/*]/.test(text)) ? values.join() : text
}
