import { longestValue, type FormField } from './form.ts'

/** The shortest value of a kind, in characters: an empty text is no value. */
const shortest: Partial<Record<FormField['kind'], number>> = { text: 1, email: 3, uri: 2, date: 10, 'date-time': 20 }

/** Whether there is a value that the field accepts. A person could only refuse a form with one that has none. */
export function canBeFilled({ kind, min, max, choices }: FormField): boolean {
  if (kind === 'boolean') return true
  if (kind === 'choice') return choices.length > 0
  if (kind === 'choices') return isWithin(min ?? 0, max, new Set(choices.map(({ value }) => value)).size)
  if (kind === 'number') return isWithin(min ?? -Infinity, max, Infinity)
  if (kind === 'integer') {
    const { MIN_SAFE_INTEGER: least, MAX_SAFE_INTEGER: greatest } = Number
    return isWithin(Math.ceil(Math.max(min ?? least, least)), max === null ? null : Math.floor(max), greatest)
  }
  return isWithin(Math.max(min ?? 0, shortest[kind] ?? 0), max, kind === 'date' ? 10 : longestValue)
}

const isWithin = (least: number, most: number | null, end: number): boolean => least <= Math.min(most ?? end, end)
