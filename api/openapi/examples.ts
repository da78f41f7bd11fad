import type { Json } from './json-schema.ts'

/**
 * An example of a schema, put together from the examples of its fields: each is declared beside its field, once. A
 * test holds every example against its schema.
 */
export function exampleOf(schema: Json, components: Record<string, Json>): unknown {
  const of = (one: unknown): unknown => exampleOf(one as Json, components)
  const { $ref, examples, enum: values, anyOf, oneOf, properties, items } = schema as Parts
  if (examples?.length) return examples[0]
  if ($ref !== undefined) return of(components[$ref.split('/').at(-1) ?? ''])
  if ('const' in schema) return schema['const']
  if ('default' in schema) return schema['default']
  if (values) return values[0]
  if (anyOf ?? oneOf) return of((anyOf ?? oneOf)?.[0])
  if (properties) return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, of(one)]))
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
}

const plain: Record<string, (schema: Json) => unknown> = {
  integer: ({ minimum }) => minimum ?? 1,
  number: ({ minimum }) => minimum ?? 1,
  boolean: () => true,
  object: () => ({}),
  string: () => 'text',
}
