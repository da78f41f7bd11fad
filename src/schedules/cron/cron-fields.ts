/** One of the five fields: its label, its range of numbers, and its names for them. */
export interface CronField {
  label: string
  min: number
  max: number
  /** The number of distinct values; a day of the week has two numbers for Sunday. */
  values: number
  names: readonly string[]
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

/** The fields in written order. */
export const cronFields = {
  minute: { label: 'minute', min: 0, max: 59, values: 60, names: [] },
  hour: { label: 'hour', min: 0, max: 23, values: 24, names: [] },
  dayOfMonth: { label: 'day-of-month', min: 1, max: 31, values: 31, names: [] },
  month: { label: 'month', min: 1, max: 12, values: 12, names: months },
  dayOfWeek: { label: 'day-of-week', min: 0, max: 7, values: 7, names: weekdays },
} as const satisfies Record<string, CronField>

type FieldResult = { values: number[] } | { problem: string }

/** Syntax of Quartz and others that crontab lacks, and its replacement. */
const foreign: [RegExp, string][] = [
  [/\?/, 'must not contain "?" (write * for "any")'],
  [/#/, 'must not contain "#" (five fields cannot express "the second Friday")'],
  [/^\d*L$|\dL$|^L-|^LW$/i, 'must not contain "L" (five fields cannot express "the last day")'],
  [/^\d+W$/i, 'must not contain "W" (five fields cannot express "the nearest weekday")'],
]

/**
 * Parses one field: `*`, numbers, names, ranges and steps, separated by commas. Returns its values, ascending and
 * without duplicates (Sunday is 0), or the problem, phrased to follow "The … field, "…", ".
 */
export function readCronField(field: CronField, text: string): FieldResult {
  const values = new Set<number>()
  for (const part of text.split(',')) {
    const result = readPart(field, part)
    if ('problem' in result) return { problem: within(text, part, result.problem) }
    for (const value of result.values) values.add(field.names === weekdays ? value % 7 : value)
  }
  return { values: [...values].toSorted((a, b) => a - b) }
}

function within(text: string, part: string, problem: string): string {
  if (part === '') return 'must have a value before and after each comma'
  return text === part ? problem : `has "${part.slice(0, 40)}", which ${problem}`
}

function readPart(field: CronField, part: string): FieldResult {
  const unsupported = foreign.find(([pattern]) => pattern.test(part))
  if (unsupported) return { problem: unsupported[1] }
  const [range = '', step, ...rest] = part.split('/')
  const bounds = readRange(field, range)
  if ('problem' in bounds) return bounds
  if (step === undefined) return { values: count(bounds, 1) }
  if (!bounds.isRange) return { problem: startWithoutEnd(field, range, step) }
  const every = /^\d{1,3}$/.test(step) ? Number(step) : 0
  if (rest.length > 0 || every < 1 || every > field.values) {
    return { problem: `must have a step from 1 to ${field.values} after the "/"` }
  }
  return { values: count(bounds, every) }
}

/** Programs disagree on whether `5/15` is 5 alone or 5, 20, 35 and 50; POSIX and crontab(5) define neither. */
const startWithoutEnd = ({ label, max }: CronField, start: string, step: string): string =>
  `must have a range before the "/" (write ${start}-${label === 'day-of-week' ? 6 : max}/${step} or */${step})`

type Bounds = { from: number; to: number; isRange: boolean }

function readRange(field: CronField, text: string): Bounds | { problem: string } {
  // Sunday's second number, 7, would add values to `*/7`.
  if (text === '*') return { from: field.min, to: field.min + field.values - 1, isRange: true }
  const [start = '', end, ...rest] = text.split('-')
  const from = readValue(field, start)
  const to = end === undefined ? from : readEnd(field, end, from)
  if (from === undefined || to === undefined || rest.length > 0) return { problem: expected(field) }
  if (to < from) return { problem: `must not contain the empty range "${text}", whose end is before its start` }
  return { from, to, isRange: end !== undefined }
}

/** `fri-sun` ends with the week: at the end of a range that starts later, Sunday is 7. */
const readEnd = (field: CronField, text: string, from = 0): number | undefined =>
  field.names === weekdays && text.toLowerCase() === 'sun' && from > 0 ? 7 : readValue(field, text)

function readValue(field: CronField, text: string): number | undefined {
  const named = field.names.indexOf(text.toLowerCase())
  if (named >= 0) return named + field.min
  const value = /^\d{1,3}$/.test(text) ? Number(text) : -1
  return value >= field.min && value <= field.max ? value : undefined
}

function expected({ min, max, names }: CronField): string {
  const words = names.length > 0 ? ` or names from ${names[0]} to ${names.at(-1)}` : ''
  return `must be *, or numbers from ${min} to ${max}${words}, written as lists (1,3), ranges (1-5) or steps (*/2, 1-5/2)`
}

const count = ({ from, to }: Bounds, step: number): number[] =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step)
