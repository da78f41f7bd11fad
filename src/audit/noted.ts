import { createHash } from 'node:crypto'
import { shownUrl } from '../safe-fetch/shown-url.ts'

/** The longest text, in characters, and the largest list or object, in bytes of JSON, that an entry keeps whole. */
const mostCharacters = 500
const mostBytes = 2000

/** Those of a thing's fields that the audit log notes, in a form that stays small whatever strangers write into them. */
export function noted(thing: object, fields: readonly string[]): Record<string, unknown> {
  const values = thing as Record<string, unknown>
  const present = fields.filter((field) => values[field] !== undefined)
  return Object.fromEntries(present.map((field) => [field, (special[field] ?? shortened)(values[field])]))
}

/** People write secrets into prompts and addresses. That they have changed is noted, and not what they say there. */
const special: Record<string, (value: unknown) => unknown> = {
  systemPrompt: (value) => (typeof value === 'string' ? digestOf(value) : value),
  callbackUrl: (value) => (typeof value === 'string' ? shownUrl(value) : value),
}

const digestOf = (text: string): string =>
  `(${text.length} characters, SHA-256 ${createHash('sha256').update(text).digest('hex').slice(0, 16)}…)`

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
  return text.length <= mostBytes && isStorable(text) ? value : `(${text.length} bytes of JSON)`
}

const storable = (text: string): string =>
  text.length <= mostCharacters ? clean(text) : `${clean(text.slice(0, mostCharacters))}… (${text.length} characters)`

/** Postgres refuses U+0000 in JSON, and UTF-8 has no lone surrogates. */
const clean = (text: string): string => text.replaceAll('\0', ' ').toWellFormed()

const isStorable = (json: string): boolean => !/\\u(0000|d[89ab]|d[c-f])/i.test(json)
