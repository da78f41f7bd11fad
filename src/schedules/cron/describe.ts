import { toString } from 'cronstrue'
import { cronFields, readCronField, type CronField } from './cron-fields.ts'
import type { Cron } from './cron.ts'
import { changeWarnings } from './change-warnings.ts'
import { dayWarnings, stepWarnings, type ScheduleWarning } from './pattern-warnings.ts'

/**
 * Describes the expression in one sentence: "At 09:00, Monday through Friday, Europe/Berlin time." If either
 * day field is enough, the sentence says so.
 */
export function describeCron(cron: Cron, timeZone: string): string {
  const [minute, hour, dayOfMonth, month, dayOfWeek] = plainFields(cron)
  const everyDay = cron.eitherDay && (dayOfMonth === '*' || dayOfWeek === '*')
  const sentence =
    cron.eitherDay && !everyDay
      ? `${inWords(`${minute} ${hour} * * *`).replace(/, every day$/, '')}, ${eitherDay(cron)}${inMonths(month)}`
      : inWords(`${minute} ${hour} ${everyDay ? '* ' : `${dayOfMonth} `}${month} ${everyDay ? '*' : dayOfWeek}`)
  return `${sentence}, ${timeZone} time.`
}

/**
 * Warns of surprises: days that not every month has, steps that restart, day fields that must both match, and fires
 * that the next clock changes (within 400 days from `now`) skip or double.
 */
export const warningsOf = (cron: Cron, timeZone: string, now: Date): ScheduleWarning[] => [
  ...dayWarnings(cron),
  ...stepWarnings(cron),
  ...changeWarnings(cron, timeZone, now),
]

const inWords = (expression: string): string =>
  toString(expression, { verbose: true, use24HourTimeFormat: true, logicalAndDayFields: true })

/** The library's wording, "on day 13 of the month, Monday through Friday", could mean that both must match. */
function eitherDay(cron: Cron): string {
  const [, , dayOfMonth, , dayOfWeek] = plainFields(cron)
  const [date, weekday] = [inWords(`0 0 ${dayOfMonth} * *`), inWords(`0 0 * * ${dayOfWeek}`)].map(withoutTime)
  return `${date} or ${weekday} (either is enough)`
}

const inMonths = (month: string): string => (month === '*' ? '' : `, ${withoutTime(inWords(`0 0 * ${month} *`))}`)

const withoutTime = (words: string): string =>
  words.replace(/^At 00:00, (every day, )?/, '').replace(/^only on /, 'on ')

/**
 * The fields without forms that the library words badly: lists that contain a step, a `*` or a duplicate, and disguised
 * `*` or single values.
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
  return hasDuplicates(field, text, values) ? ranges(values) : text
}

/** Whether parts of the list share a value, however it is written: `mon,2,tue`, `1-5,3`, `0,6,7`. */
const hasDuplicates = (field: CronField, text: string, values: number[]): boolean =>
  text.split(',').reduce((sum, part) => sum + valueCount(field, part), 0) > values.length

function valueCount(field: CronField, part: string): number {
  const result = readCronField(field, part)
  return 'values' in result ? result.values.length : 0
}

/** Ascending values as a list in which three or more in a row form a range. */
function ranges(values: number[]): string {
  const rows: number[][] = []
  for (const value of values) {
    const row = rows.at(-1)
    if (row && row.at(-1) === value - 1) row.push(value)
    else rows.push([value])
  }
  return rows.map((row) => (row.length > 2 ? `${row[0]}-${row.at(-1)}` : row.join())).join()
}
