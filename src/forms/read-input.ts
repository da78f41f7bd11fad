import type { ErrorDetail } from '../errors.ts'
import { longestValue, mostChoices, type Form, type FormField, type FormInput, type FormValue } from './form.ts'

/** What a person has given, as the form wants it, or the problems by path. */
export type ReadInput = { input: FormInput } | { problems: ErrorDetail[] }

/**
 * Reads the values for a form. What can mean one thing only is taken as that: `"42"` for a number, or a choice by its
 * title. An empty text is no value; only one that is not there is preset.
 */
export function readInput({ fields }: Form, given: Record<string, unknown>): ReadInput {
  const names = new Set(fields.map(({ name }) => name))
  const unknown = Object.keys(given).filter((name) => !names.has(name))
  const problems: ErrorDetail[] = unknown.map((name) => ({ path: pathOf(name), message: 'is not a field of the form' }))
  const input: [string, FormValue][] = []
  for (const field of fields) {
    const read = readField(field, Object.hasOwn(given, field.name) ? given[field.name] : undefined)
    if ('problem' in read) problems.push({ path: pathOf(field.name), message: read.problem })
    else if (read.value !== null) input.push([field.name, read.value])
  }
  return problems.length > 0 ? { problems } : { input: Object.fromEntries(input) }
}

const pathOf = (name: string): string => `input.${name}`

type Read = { value: FormValue | null } | { problem: string }

function readField(field: FormField, given: unknown): Read {
  const value = given === undefined ? field.preset : given
  if (value === null || value === '') return field.isRequired ? { problem: 'is required' } : { value: null }
  return readers[field.kind](field, value)
}

const readText = ({ min, max }: FormField, given: unknown): Read => {
  const value = typeof given === 'number' || typeof given === 'boolean' ? String(given) : given
  if (typeof value !== 'string' || !value.isWellFormed() || value.includes('\0')) return { problem: 'must be a text' }
  const length = Array.from(value).length
  const longest = Math.min(max ?? longestValue, longestValue)
  if (length > longest) return { problem: `must have at most ${longest} characters` }
  if (min !== null && length < min) return { problem: `must have at least ${min} characters` }
  return { value }
}

/** A text of a form that the pattern or the check knows. Blanks around it mean nothing. */
const formatted =
  (isValid: (text: string) => boolean, problem: string) =>
  (field: FormField, given: unknown): Read => {
    const read = readText(field, typeof given === 'string' ? given.trim() : given)
    return 'value' in read && !isValid(String(read.value)) ? { problem } : read
  }

const readNumber = ({ min, max, kind }: FormField, given: unknown): Read => {
  const value = typeof given === 'string' && numeral.test(given.trim()) ? Number(given) : given
  if (typeof value !== 'number' || !Number.isFinite(value)) return { problem: 'must be a number' }
  if (kind === 'integer' && !Number.isSafeInteger(value)) return { problem: 'must be a whole number' }
  if (min !== null && value < min) return { problem: `must be at least ${min}` }
  if (max !== null && value > max) return { problem: `must be at most ${max}` }
  return { value }
}

const numeral = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i

function readBoolean(_field: FormField, given: unknown): Read {
  const value = typeof given === 'string' ? given.trim().toLowerCase() : given
  if (value === true || value === 'true') return { value: true }
  return value === false || value === 'false' ? { value: false } : { problem: 'must be true or false' }
}

function readChoice(field: FormField, given: unknown): Read {
  const value = chosenOf(field, given)
  return value === undefined ? { problem: `must be one of ${valuesOf(field)}` } : { value }
}

/** A single value is a list of one. Of a list that nobody needs, nothing chosen is no value. */
function readChoices(field: FormField, given: unknown): Read {
  const list: unknown[] = Array.isArray(given) ? given : [given]
  if (list.length === 0 && !field.isRequired) return { value: null }
  if (list.length > mostChoices) return { problem: `must have at most ${mostChoices} values` }
  const chosen = [...new Set(list.map((one) => chosenOf(field, one)))]
  const value = chosen.filter((one) => one !== undefined)
  if (value.length < chosen.length) return { problem: `must be a list of some of ${valuesOf(field)}` }
  const { min, max } = field
  if (max !== null && value.length > max) return { problem: `must have at most ${max} values` }
  if (min !== null && value.length < min) return { problem: `must have at least ${min} values` }
  return { value }
}

function chosenOf({ choices }: FormField, given: unknown): string | undefined {
  if (typeof given !== 'string' && typeof given !== 'number' && typeof given !== 'boolean') return undefined
  const text = String(given)
  const exact = choices.find(({ value }) => value === text)
  const titled = choices.filter(({ title }) => title === text)
  return (exact ?? (titled.length === 1 ? titled[0] : undefined))?.value
}

const valuesOf = ({ choices }: FormField): string => choices.map(({ value }) => JSON.stringify(value)).join(', ')

/** A day that exists (RFC 3339, 5.6, full-date). */
const isDate = (text: string): boolean => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const day = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)
}

const isTime = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/i.test(text) &&
  isDate(text.slice(0, 10)) &&
  !Number.isNaN(Date.parse(text))

const readers: Record<FormField['kind'], (field: FormField, given: unknown) => Read> = {
  text: readText,
  email: formatted((text) => /^[^\s@]+@[^\s@]+$/.test(text), 'must be an email address'),
  uri: formatted((text) => URL.canParse(text), 'must be an address such as https://example.com'),
  date: formatted(isDate, 'must be a date such as 2026-07-28'),
  'date-time': formatted(isTime, 'must be a time such as 2026-07-28T10:00:00Z'),
  number: readNumber,
  integer: readNumber,
  boolean: readBoolean,
  choice: readChoice,
  choices: readChoices,
}
