import { createHash } from 'node:crypto'
import { shownUrl } from '../safe-fetch/shown-url.ts'

/**
 * What an entry keeps whole of a field, in bytes of JSON. Of anything longer it keeps that it changed: length, hash, and the
 * beginning of a text. So the fields of a thing take about a kilobyte, whatever is written into them.
 */
const mostBytes = 100
const beginning = 40

/** Those of a thing's fields that the audit log notes, in a form that stays small whatever strangers write into them. */
export function notedFields(thing: object, fields: readonly string[]): Record<string, unknown> {
  const values = thing as Record<string, unknown>
  const present = fields.filter((field) => values[field] !== undefined)
  return Object.fromEntries(present.map((field) => [field, (special[field] ?? shortened)(values[field])]))
}

/** People write secrets into prompts and addresses. That they have changed is noted, and not what they say there. */
const special: Record<string, (value: unknown) => unknown> = {
  systemPrompt: (value) => (typeof value === 'string' ? digestOf(value) : value),
  callbackUrl: (value) => (typeof value === 'string' ? storable(shownUrl(value)) : value),
}

const digestOf = (text: string, unit = 'characters'): string =>
  `(${text.length} ${unit}, SHA-256 ${createHash('sha256').update(text).digest('hex').slice(0, 16)}…)`

/** The fields that differ, of both sides. A side that is missing leaves the other whole. */
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
