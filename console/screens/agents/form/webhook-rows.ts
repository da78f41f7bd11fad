import { parseExactly } from '../../../api/exact-json.ts'
import type { Row } from './schema-rows.ts'

const types = new Set<unknown>(['string', 'number', 'boolean', 'object', 'array'])

type Field = Record<string, unknown>

/** The members that a delivery must have. Undefined if the text is not such a list: the table then shows nothing. */
export function webhookRowsOf(text: string): Row[] | undefined {
  const fields = read(text)
  if (!fields) return undefined
  return fields.map(({ name, type, required = true, description = '' }) => ({
    name: typeof name === 'string' ? name : '',
    type: types.has(type) ? (type as Row['type']) : 'other',
    required: required === true,
    description: typeof description === 'string' ? description : '',
  }))
}

/** The list with a changed, added or, without `next`, removed row. An empty list becomes no schema at all. */
export function withWebhookRow(text: string, name: string | undefined, next: Row | undefined): string {
  const fields = read(text) ?? []
  const after = fields.flatMap((field) => (field['name'] === name ? (next ? [fieldOf(field, next)] : []) : [field]))
  if (name === undefined && next) after.push(fieldOf({}, next))
  return after.length === 0 ? '' : JSON.stringify(after, null, 2)
}

/** What the table cannot express stays in the member. */
function fieldOf(member: Field, { name, type, required, description }: Row): Field {
  const known = type === 'other' ? {} : { type }
  const field: Field = { ...member, name, ...known, required, description }
  if (description === '') delete field['description']
  return field
}

function read(text: string): Field[] | undefined {
  if (text.trim() === '') return []
  try {
    const value = parseExactly(text)
    const isList = Array.isArray(value) && value.every((each) => typeof each === 'object' && each !== null)
    return isList ? (value as Field[]) : undefined
  } catch {
    return undefined
  }
}
