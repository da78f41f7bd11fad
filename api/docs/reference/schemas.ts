import { escape } from '../escape.ts'
import { inline } from '../inline.ts'
import { nameOf, type ApiDocument, type Schema } from './document.ts'

type Schemas = ApiDocument['components']['schemas']

/** The names of all schemas that these schemas reference, directly or indirectly, in alphabetical order. */
export function reachable(from: readonly Schema[], schemas: Schemas): string[] {
  const found = new Set<string>()
  const visit = (schema: Schema): void => {
    for (const inner of partsOf(schema)) visit(inner)
    const name = schema.$ref === undefined ? undefined : nameOf(schema.$ref)
    if (name === undefined || found.has(name) || !schemas[name]) return
    found.add(name)
    visit(schemas[name])
  }
  from.forEach(visit)
  return [...found].toSorted()
}

const partsOf = ({ properties = {}, items, anyOf = [], oneOf = [] }: Schema): Schema[] => [
  ...Object.values(properties),
  ...(items ? [items] : []),
  ...anyOf,
  ...oneOf,
]

/** A value's type in a few words: `string or null`, `list of Agent`. Named schemas are links. */
export function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = escape(nameOf(schema.$ref))
    return `<a href="#${name}">${name}</a>`
  }
  const several = schema.anyOf ?? schema.oneOf
  if (several) return [...new Set(several.map(typeOf))].join(' or ')
  if (schema.items) return `list of ${typeOf(schema.items)}`
  if (schema.const !== undefined) return value(schema.const)
  return escape(schema.format === 'date-time' ? 'date and time' : (schema.type ?? 'any value'))
}

const value = (given: unknown): string => `<code>${escape(JSON.stringify(given))}</code>`

/** The members of an object, or the values or types of any other schema. */
export function contentOf(schema: Schema, schemas: Schemas): string {
  if (schema.properties) return members(schema, schemas)
  if (schema.enum) return `<p>${oneOf(schema.enum)}</p>`
  return `<p>${typeOf(schema)}</p>`
}

function members({ properties = {}, required = [] }: Schema, schemas: Schemas): string {
  const rows = Object.entries(properties).map(([name, schema]) =>
    member(name, withValues(schema, schemas), required.includes(name)),
  )
  return rows.length === 0 ? '<p>No members.</p>' : `<dl class="members">${rows.join('\n')}</dl>`
}

const member = (name: string, schema: Schema, isRequired: boolean): string =>
  `<div><dt><code>${escape(name)}</code> <span class="type">${typeOf(schema)}</span>${isRequired ? '' : ' <span class="type">optional</span>'}</dt><dd>${notes(schema)}</dd></div>`

/** Longer enumerations are not repeated wherever they are used. */
const mostListed = 10

/** Shows the values of a small enumeration where it is used, and keeps the link. */
function withValues(schema: Schema, schemas: Schemas): Schema {
  const { description, enum: values = [] } = (schema.$ref !== undefined && schemas[nameOf(schema.$ref)]) || {}
  if (values.length === 0 || values.length > mostListed) return schema
  return { ...(description !== undefined && { description }), ...schema, enum: values }
}

/** The description of a value and its constraints. */
export function notes(schema: Schema): string {
  const said = schema.description === undefined ? [] : [sentence(inline(schema.description))]
  return [...said, ...rules(schema).map((rule) => sentence(rule))].join(' ')
}

const sentence = (html: string): string => (/[.!?]$/.test(html) ? html : `${html}.`)

function rules({ enum: values, default: fallback, ...schema }: Schema): string[] {
  return [
    ...(values ? [oneOf(values)] : []),
    ...(fallback === undefined ? [] : [`Default: ${value(fallback)}`]),
    ...range(schema.minimum, schema.maximum, ''),
    // Where the description limits visible characters, the larger limit of the text would only confuse.
    ...(/visible characters/.test(schema.description ?? '')
      ? []
      : range(schema.minLength, schema.maxLength, ' characters')),
    ...range(schema.minItems, schema.maxItems, ' items'),
  ]
}

const oneOf = (values: readonly unknown[]): string =>
  `${values.length > 1 ? 'One of ' : ''}${values.map(value).join(', ')}`

function range(least: number | undefined, most: number | undefined, unit: string): string[] {
  if (least === undefined && most === undefined) return []
  if (most === undefined) return [`At least ${least}${unit}`]
  return [least === undefined ? `At most ${most}${unit}` : `${least} to ${most}${unit}`]
}
