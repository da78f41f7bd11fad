import { toString } from 'cronstrue'
import { cronFields, readCronField, type CronField } from './cron-fields.ts'
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

/**
 * The fields without what the library says badly: lists that contain a step or a *, or name a value twice, and full or
 * single values in disguise.
 */
function plainFields(cron: Cron): [string, string, string, string, string] {
  const [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = ''] = cron.text.split(' ')
  return [
    plain(cronFields.minute, minute, cron.minute),
    plain(cronFields.hour, hour, cron.hour),
    plain(cronFields.dayOfMonth, dayOfMonth, cron.dayOfMonth),
    plain(cronFields.month, month, cron.month),
    plain(cronFields.dayOfWeek, dayOfWeek, cron.dayOfWeek),
  ]
}

function plain(field: CronField, text: string, values: number[]): string {
  if (values.length === field.values) return '*'
  if (values.length === 1 || (text.includes(',') && /[/*]/.test(text))) return values.join()
  return namesTwice(field, text, values) ? ranges(values) : text
}

/** Whether parts of the list have a value in common, however each writes it: `mon,2,tue`, `1-5,3`, `0,6,7`. */
const namesTwice = (field: CronField, text: string, values: number[]): boolean =>
  text.split(',').reduce((sum, part) => sum + valueCount(field, part), 0) > values.length

function valueCount(field: CronField, part: string): number {
  const answer = readCronField(field, part)
  return 'values' in answer ? answer.values.length : 0
}

/** Ascending values as a list, in which three or more in a row are a range. */
function ranges(values: number[]): string {
  const rows: number[][] = []
  for (const value of values) {
    const row = rows.at(-1)
    if (row && row.at(-1) === value - 1) row.push(value)
    else rows.push([value])
  }
  return rows.map((row) => (row.length > 2 ? `${row[0]}-${row.at(-1)}` : row.join())).join()
}
