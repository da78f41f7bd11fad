import { chosenIn } from '../../../parts/chosen.ts'

/** How one argument is asked for. Values are texts as somebody typed them, or JSON for a choice. */
export interface ArgumentField {
  name: string
  description: string | undefined
  isRequired: boolean
  kind: 'text' | 'lines' | 'number' | 'integer' | 'choice' | 'choices' | 'json'
  /** The values that can be chosen, as JSON, with their texts. */
  options: readonly { value: string; text: string }[]
}

type Schema = Record<string, unknown>

const mostFields = 30
const longText = 200

/** Rules about several arguments at once, which a form of single fields cannot show. */
const rules = ['anyOf', 'oneOf', 'allOf', 'not', 'if', 'patternProperties', '$ref', 'minProperties', 'propertyNames']

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The fields of a form for a tool's arguments; undefined if the schema is better answered with JSON. */
export function fieldsOf(schema: Schema): ArgumentField[] | undefined {
  const { properties = {}, required, additionalProperties } = schema
  if (rules.some((rule) => rule in schema) || isSchema(additionalProperties) || !isSchema(properties)) return undefined
  const entries = Object.entries(properties)
  const needed: readonly unknown[] = Array.isArray(required) ? required : []
  if (entries.length > mostFields || needed.some((name) => !Object.hasOwn(properties, String(name)))) return undefined
  return entries.map(([name, property]) => fieldOf(name, isSchema(property) ? property : {}, needed.includes(name)))
}

function fieldOf(name: string, property: Schema, isRequired: boolean): ArgumentField {
  const { description } = property
  const [options, ofItems] = [optionsOf(property), optionsOfItems(property)]
  return {
    name,
    description: typeof description === 'string' ? description : undefined,
    isRequired,
    kind: options.length > 0 ? 'choice' : ofItems.length > 0 ? 'choices' : kindOf(property),
    options: options.length > 0 ? options : ofItems,
  }
}

/** The few scalar values that are allowed. */
function optionsOf({ type, enum: values, const: only }: Schema): ArgumentField['options'] {
  if (type === 'boolean') return [true, false].map((value) => ({ value: String(value), text: value ? 'yes' : 'no' }))
  const allowed: unknown[] = only === undefined ? (Array.isArray(values) ? values : []) : [only]
  if (allowed.some((value) => typeof value === 'object' && value !== null)) return []
  return allowed.map((value) => ({ value: JSON.stringify(value), text: String(value) }))
}

/** Of a list, what it may have. One that may have a value twice can be typed as JSON. */
const optionsOfItems = ({ type, items }: Schema): ArgumentField['options'] =>
  type === 'array' && isSchema(items) && items['type'] !== 'boolean' ? optionsOf(items) : []

function kindOf({ type, format, pattern, maxLength }: Schema): ArgumentField['kind'] {
  if (type === 'number' || type === 'integer') return type
  if (type !== 'string') return 'json'
  const isShort =
    format !== undefined || pattern !== undefined || (typeof maxLength === 'number' && maxLength <= longText)
  return isShort ? 'text' : 'lines'
}

export type Composed = { json: string } | { problems: ReadonlyMap<string, string> }

/**
 * The arguments as JSON. Numbers keep the digits that were typed. An argument that is not required, and that nobody
 * typed anything for, is left out.
 */
export function composed(fields: readonly ArgumentField[], typed: ReadonlyMap<string, string>): Composed {
  const members: string[] = []
  const problems = new Map<string, string>()
  for (const field of fields) {
    const text = typed.get(field.name) ?? ''
    if (text.trim() === '' && !field.isRequired) continue
    const problem = problemOf(field, text)
    if (problem !== undefined) problems.set(field.name, problem)
    else members.push(`${JSON.stringify(field.name)}:${valueOf(field, text)}`)
  }
  return problems.size > 0 ? { problems } : { json: `{${members.join(',')}}` }
}

const isWords = ({ kind }: ArgumentField): boolean => kind === 'text' || kind === 'lines'

function valueOf(field: ArgumentField, text: string): string {
  if (field.kind === 'choices') return `[${chosenIn(text).join(',')}]`
  return isWords(field) ? JSON.stringify(text) : text.trim()
}

function problemOf(field: ArgumentField, text: string): string | undefined {
  const given = text.trim()
  if (field.kind === 'choices') return undefined
  if (given === '') return 'This argument is required.'
  if (field.kind === 'integer' && !/^-?(?:0|[1-9]\d*)$/.test(given)) return 'This must be a whole number.'
  if (field.kind === 'number' && !/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(given))
    return 'This must be a number.'
  return field.kind === 'json' && !isJson(given) ? 'This must be JSON, such as ["a", "b"] or {"a": 1}.' : undefined
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** What is wrong with arguments that were typed as JSON. */
export function jsonProblem(text: string): string | undefined {
  const isObject = isJson(text) && text.trim().startsWith('{')
  return isObject ? undefined : 'The arguments must be a JSON object, such as {"text": "a"}.'
}
