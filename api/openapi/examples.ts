import type { Json } from './json-schema.ts'

/**
 * Builds the example of a schema from the examples of its members. Each example is declared once, beside its member,
 * and a test validates it against the schema.
 */
export const exampleOf = (schema: Json, components: Record<string, Json>): unknown =>
  make(schema, components, () => true)

/**
 * The example of a request without optional members, so that it works for a reader who has no workspace, no second
 * factor and no site.
 */
export const smallestExampleOf = (schema: Json, components: Record<string, Json>): unknown =>
  make(schema, components, (name, required) => required.includes(name))

type IsShown = (name: string, required: string[]) => boolean

function make(schema: Json, components: Record<string, Json>, isShown: IsShown): unknown {
  const of = (one: unknown): unknown => make(one as Json, components, isShown)
  const { $ref, examples, enum: values, anyOf, oneOf, properties, items, required = [] } = schema as Parts
  if (examples?.length) return examples[0]
  if ($ref !== undefined) return of(components[$ref.split('/').at(-1) ?? ''])
  if ('const' in schema) return schema['const']
  if ('default' in schema) return schema['default']
  if (values) return values[0]
  if (anyOf ?? oneOf) return of((anyOf ?? oneOf)?.[0])
  if (properties) {
    const shown = Object.entries(properties).filter(([name]) => isShown(name, required))
    return Object.fromEntries(shown.map(([name, one]) => [name, of(one)]))
  }
  if (items) return [of(items)]
  return plain[String(schema['type'])]?.(schema)
}

interface Parts {
  $ref?: string
  examples?: unknown[]
  enum?: unknown[]
  anyOf?: Json[]
  oneOf?: Json[]
  properties?: Record<string, Json>
  items?: Json
  required?: string[]
}

const plain: Record<string, (schema: Json) => unknown> = {
  integer: ({ minimum }) => minimum ?? 1,
  number: ({ minimum }) => minimum ?? 1,
  boolean: () => true,
  object: () => ({}),
  string: ({ format }) => (format === 'date-time' ? '2026-11-21T09:00:00.000Z' : 'text'),
}
