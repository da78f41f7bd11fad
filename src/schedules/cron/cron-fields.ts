/** One of the five fields: what people call it, its numbers, and the names that may stand for them. */
export interface CronField {
  label: string
  least: number
  most: number
  /** How many different values there are; a day of the week has two numbers for Sunday. */
  values: number
  names: readonly string[]
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

/** The fields in the order in which they are written. */
export const cronFields = {
  minute: { label: 'minute', least: 0, most: 59, values: 60, names: [] },
  hour: { label: 'hour', least: 0, most: 23, values: 24, names: [] },
  dayOfMonth: { label: 'day-of-month', least: 1, most: 31, values: 31, names: [] },
  month: { label: 'month', least: 1, most: 12, values: 12, names: months },
  dayOfWeek: { label: 'day-of-week', least: 0, most: 7, values: 7, names: weekdays },
} as const satisfies Record<string, CronField>

type Answer = { values: number[] } | { problem: string }

/** What quartz and others know and crontab does not, and what to do without it. */
const foreign: [RegExp, string][] = [
  [/\?/, 'must not contain "?"; write * for "any"'],
  [/#/, 'must not contain "#"; "the second Friday" cannot be written in five fields'],
  [/^\d*L$|\dL$|^L-|^LW$/i, 'must not contain "L"; "the last day" cannot be written in five fields'],
  [/^\d+W$/i, 'must not contain "W"; "the nearest weekday" cannot be written in five fields'],
]

/**
 * Reads one field: `*`, numbers, names, ranges and steps, separated by commas. Answers with its values, ascending and
 * each once (Sunday is 0), or with what must be different about it, to be put after "The … field, "…", ".
 */
export function readCronField(field: CronField, text: string): Answer {
  const values = new Set<number>()
  for (const part of text.split(',')) {
    const answer = readPart(field, part)
    if ('problem' in answer) return { problem: within(text, part, answer.problem) }
    for (const value of answer.values) values.add(field.names === weekdays ? value % 7 : value)
  }
  return { values: [...values].toSorted((a, b) => a - b) }
}

function within(text: string, part: string, problem: string): string {
  if (part === '') return 'must have something before and after each comma'
  return text === part ? problem : `has "${part.slice(0, 40)}", which ${problem}`
}

function readPart(field: CronField, part: string): Answer {
  const strange = foreign.find(([pattern]) => pattern.test(part))
  if (strange) return { problem: strange[1] }
  const [range = '', step, ...rest] = part.split('/')
  const bounds = readRange(field, range)
  if ('problem' in bounds) return bounds
  if (step === undefined) return { values: count(bounds, 1) }
  if (!bounds.isRange) return { problem: startWithoutEnd(field, range, step) }
  const every = /^\d{1,3}$/.test(step) ? Number(step) : 0
  if (rest.length > 0 || every < 1 || every > field.values) {
    return { problem: `must have a step from 1 to ${field.values} after its "/"` }
  }
  return { values: count(bounds, every) }
}

/** Programs disagree on whether `5/15` is 5 alone or 5, 20, 35 and 50; POSIX and crontab(5) have neither. */
const startWithoutEnd = ({ label, most }: CronField, start: string, step: string): string =>
  `must have a range before its "/"; write ${start}-${label === 'day-of-week' ? 6 : most}/${step} or */${step}`

type Bounds = { from: number; to: number; isRange: boolean }

function readRange(field: CronField, text: string): Bounds | { problem: string } {
  // The second number of Sunday would make `*/7` more than Sundays.
  if (text === '*') return { from: field.least, to: field.least + field.values - 1, isRange: true }
  const [start = '', end, ...rest] = text.split('-')
  const from = readValue(field, start)
  const to = end === undefined ? from : readEnd(field, end, from)
  if (from === undefined || to === undefined || rest.length > 0) return { problem: expected(field) }
  if (to < from) return { problem: `must not have an empty range; the end of "${text}" is before its start` }
  return { from, to, isRange: end !== undefined }
}

/** `fri-sun` ends with the week: at the end of a range that begins later, Sunday is its second number. */
const readEnd = (field: CronField, text: string, from = 0): number | undefined =>
  field.names === weekdays && text.toLowerCase() === 'sun' && from > 0 ? 7 : readValue(field, text)

function readValue(field: CronField, text: string): number | undefined {
  const named = field.names.indexOf(text.toLowerCase())
  if (named >= 0) return named + field.least
  const value = /^\d{1,3}$/.test(text) ? Number(text) : -1
  return value >= field.least && value <= field.most ? value : undefined
}

function expected({ least, most, names }: CronField): string {
  const words = names.length > 0 ? ` or names from ${names[0]} to ${names.at(-1)}` : ''
  return `must be *, or numbers from ${least} to ${most}${words}, as lists (1,3), ranges (1-5) and steps (*/2, 1-5/2)`
}

const count = ({ from, to }: Bounds, step: number): number[] =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step)
