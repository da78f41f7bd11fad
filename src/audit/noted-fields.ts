import { createHash } from 'node:crypto'
import { shownUrl } from '../safe-fetch/shown-url.ts'

/**
 * The longest field that an entry keeps whole, in bytes of JSON. Of longer fields it keeps the length, a hash, and the
 * start of a text. So an entry takes about a kilobyte, whatever the fields contain.
 */
const mostBytes = 100
const beginning = 40

/** The fields of a thing that the audit log records, shortened. */
export function notedFields(thing: object, fields: readonly string[]): Record<string, unknown> {
  const values = thing as Record<string, unknown>
  const present = fields.filter((field) => values[field] !== undefined)
  return Object.fromEntries(present.map((field) => [field, (special[field] ?? shortened)(values[field])]))
}

/** People write secrets into prompts and addresses. The log records that these change, but not their content. */
const special: Record<string, (value: unknown) => unknown> = {
  systemPrompt: (value) => (typeof value === 'string' ? digestOf(value) : value),
  callbackUrl: (value) => (typeof value === 'string' ? storable(shownUrl(value)) : value),
}

const digestOf = (text: string, unit = 'characters'): string =>
  `(${text.length} ${unit}, SHA-256 ${createHash('sha256').update(text).digest('hex').slice(0, 16)}…)`

/** The fields that differ, on both sides. If one side is missing, the other stays whole. */
export function differing(before: Fields, after: Fields): { before: Fields; after: Fields } {
  if (!before || !after) return { before, after }
  const changed = Object.keys(after).filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
  return { before: only(before, changed), after: only(after, changed) }
}

type Fields = Record<string, unknown> | undefined

const only = (fields: Record<string, unknown>, names: string[]) =>
  Object.fromEntries(names.filter((name) => name in fields).map((name) => [name, fields[name]]))

function shortened(value: unknown): unknown {
  if (typeof value === 'string') return storable(value)
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  const text = JSON.stringify(value)
  return Buffer.byteLength(text) <= mostBytes && isStorable(text) ? value : digestOf(text, 'characters of JSON')
}

const storable = (text: string): string =>
  Buffer.byteLength(JSON.stringify(text)) <= mostBytes
    ? clean(text)
    : `${clean(text.slice(0, beginning))}… ${digestOf(text)}`

/** Postgres refuses U+0000 in JSON, UTF-8 has no lone surrogates, and JSON takes six bytes for a control character. */
const clean = (text: string): string => text.replaceAll(/\p{Cc}/gu, ' ').toWellFormed()

const isStorable = (json: string): boolean => !/\\u(0000|d[89ab]|d[c-f])/i.test(json)
