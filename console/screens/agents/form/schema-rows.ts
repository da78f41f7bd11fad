import type { Api } from '../../../api/client.ts'
import { parseExactly } from '../../../api/exact-json.ts'

/** A member of an object, as the table shows it. */
export interface Row {
  name: string
  /** `other`: the table cannot show it, and only the JSON changes it. */
  type: Api['WebhookFieldType'] | 'integer' | 'other'
  required: boolean
  description: string
}

type Members = Record<string, unknown>

const types = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array'])

/** The members of a schema of an object. Undefined if the text is not one: the table then shows nothing. */
export function rowsOf(text: string): Row[] | undefined {
  const schema = text.trim() === '' ? {} : read(text)
  if (!isMembers(schema) || !(schema['type'] === undefined || schema['type'] === 'object')) return undefined
  const { properties = {}, required = [] } = schema
  if (!isMembers(properties) || !Array.isArray(required)) return undefined
  return Object.entries(properties).map(([name, member]) => ({
    name,
    type: typeOf(member),
    required: required.includes(name),
    description: isMembers(member) && typeof member['description'] === 'string' ? member['description'] : '',
  }))
}

/** The schema with a changed, added or, without `next`, removed row. What the table does not show stays as it is. */
export function withRow(text: string, name: string | undefined, next: Row | undefined): string {
  const schema = (text.trim() === '' ? {} : (read(text) ?? {})) as Members
  const properties = (schema['properties'] ?? {}) as Members
  const required = (schema['required'] ?? []) as unknown[]
  const before = Object.entries(properties)
  const row = (member: unknown): [string, unknown][] => (next ? [[next.name, memberOf(member, next)]] : [])
  const after = before.flatMap(([each, member]) =>
    each === name ? row(member) : [[each, member] as [string, unknown]],
  )
  if (name === undefined) after.push(...row({}))
  const others = required.filter((each) => each !== name && each !== next?.name)
  const at = name === undefined ? -1 : required.indexOf(name)
  if (next?.required) others.splice(at === -1 ? others.length : at, 0, next.name)
  const changed = { ...schema, type: 'object', properties: Object.fromEntries(after), required: others }
  return JSON.stringify(changed, null, 2)
}

/** Why a row may not have this name. Undefined if it may. */
export function nameProblem(rows: readonly Row[], name: string, next: string): string | undefined {
  if (next.trim() === '') return 'A field needs a name.'
  return next !== name && rows.some((row) => row.name === next) ? 'Another field has this name.' : undefined
}

/** A name that no row has yet. */
export function freeName(rows: readonly Row[]): string {
  for (let number = rows.length + 1; ; number += 1) {
    const name = `field${number}`
    if (!rows.some((row) => row.name === name)) return name
  }
}

/** What is wrong with a text that should be JSON. Undefined if it is JSON, or empty. */
export function jsonProblem(text: string): string | undefined {
  return text.trim() === '' || read(text) !== undefined ? undefined : 'This is not JSON yet.'
}

/** A member of another type begins afresh, since its other keywords belong to the type that it had. */
function memberOf(member: unknown, { type, description }: Row): unknown {
  if (type === 'other' || !isMembers(member)) return type === 'other' ? member : { type, ...described(description) }
  const { description: _, ...rest } = member
  return { ...(member['type'] === type ? rest : { type }), ...described(description) }
}

const described = (description: string) => (description === '' ? {} : { description })

function typeOf(member: unknown): Row['type'] {
  const type = isMembers(member) ? member['type'] : undefined
  return typeof type === 'string' && types.has(type) ? (type as Row['type']) : 'other'
}

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function read(text: string): unknown {
  try {
    return parseExactly(text)
  } catch {
    return undefined
  }
}
