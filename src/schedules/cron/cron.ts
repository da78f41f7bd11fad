import { CodedError } from '../../errors.ts'
import { cronFields, readCronField, type CronField } from './cron-fields.ts'
import { shortened } from '../../text.ts'

/** A parsed cron expression: the matching values of each field. All lists ascend; Sunday is 0. */
export interface Cron {
  /** The expression with single spaces, otherwise as written. */
  text: string
  minute: number[]
  hour: number[]
  dayOfMonth: number[]
  month: number[]
  dayOfWeek: number[]
  /** Whether matching one of the two day fields is enough; otherwise both must match (crontab(5)). */
  eitherDay: boolean
}

/** Longer expressions are rejected unparsed. A list of all minutes has 169 characters. */
const maxLength = 200
const order = 'minute hour day-of-month month day-of-week'

const macros = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
])

const daysOfMonths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** The days in a month (1 to 12), with 29 for February. */
export const daysOfMonth = (month: number): number => daysOfMonths[month - 1] ?? 0

/**
 * Parses a five-field cron expression with its POSIX meaning: `*`, numbers, lists, ranges, steps on `*` and on ranges,
 * three-letter English names, 7 for Sunday. If neither day field contains a `*`, either is enough. Throws
 * VALIDATION_ERROR at `cron` with a sentence that names the wrong part. Rejects syntax of other programs (seconds,
 * years, macros, L, W, #, ?) and dates that never occur.
 */
export function parseCron(text: string): Cron {
  if (text.length > maxLength) throw invalid(`The expression must have at most ${maxLength} characters.`)
  const parts = text.split(/[ \t]+/).filter((part) => part !== '')
  const problem = problemWithShape(parts)
  if (problem !== undefined) throw invalid(problem)
  const [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = ''] = parts
  const cron: Cron = {
    text: parts.join(' '),
    minute: valuesOf(cronFields.minute, minute),
    hour: valuesOf(cronFields.hour, hour),
    dayOfMonth: valuesOf(cronFields.dayOfMonth, dayOfMonth),
    month: valuesOf(cronFields.month, month),
    dayOfWeek: valuesOf(cronFields.dayOfWeek, dayOfWeek),
    eitherDay: !dayOfMonth.includes('*') && !dayOfWeek.includes('*'),
  }
  if (neverOccurs(cron))
    throw invalid(`The date never occurs because no month in "${month}" has a day "${dayOfMonth}".`)
  return cron
}

function problemWithShape(parts: string[]): string | undefined {
  const [first = ''] = parts
  if (first.startsWith('@')) return problemWithMacro(first)
  if (/^(CRON_)?TZ=/i.test(first))
    return `The expression must not contain a time zone ("${cut(first)}"). Use "timeZone" instead.`
  if (parts.length === 5) return undefined
  const extra = parts.length > 5 ? ' Seconds and years are not supported. Leave them out.' : ''
  return `The expression has ${parts.length === 0 ? 'no' : parts.length} fields, but it must have five: ${order}.${extra}`
}

function problemWithMacro(macro: string): string {
  const instead = macros.get(macro.toLowerCase())
  const hint = instead === undefined ? `Write five fields: ${order}` : `Write "${instead}" instead`
  return `"${cut(macro)}" is not supported. ${hint}.`
}

function valuesOf(field: CronField, text: string): number[] {
  const result = readCronField(field, text)
  if ('problem' in result) throw invalid(`The ${field.label} field, "${cut(text)}", ${result.problem}.`)
  return result.values
}

/** The days ascend, so the first is the one that most months have. */
const neverOccurs = ({ eitherDay, dayOfMonth, month }: Cron): boolean =>
  !eitherDay && month.every((one) => (dayOfMonth[0] ?? 0) > daysOfMonth(one))

const cut = (text: string): string => shortened(text, 40)

const invalid = (message: string): CodedError =>
  new CodedError('VALIDATION_ERROR', { message, details: [{ path: 'cron', message }] })
