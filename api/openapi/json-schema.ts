import { toJsonSchema, type ConversionConfig } from '@valibot/to-json-schema'
import type { GenericSchema } from 'valibot'

export type Json = Record<string, unknown>

/** The side of a schema: `input` for requests, `output` for responses. */
type Side = 'input' | 'output'

export interface Schemas {
  /** The JSON Schema of a declaration, for OpenAPI 3.1. Named schemas become components and are referenced. */
  of: (schema: GenericSchema, side: Side) => Json
  /**
   * Makes a schema a component if it is not one yet, and returns the reference. Throws if another schema has this
   * name.
   */
  name: (title: string, schema: Json) => Json
  components: () => Record<string, Json>
}

export function createSchemas(): Schemas {
  const components = new Map<string, Json>()

  function name(title: string, schema: Json): Json {
    if ('$ref' in schema) return { $ref: schema['$ref'] }
    const known = components.get(title)
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`two schemas are named ${title}: ${JSON.stringify(known)} and ${JSON.stringify(schema)}`)
    }
    components.set(title, schema)
    return { $ref: `#/components/schemas/${title}` }
  }

  /**
   * Runs after each action of a pipe: a name covers the actions before it, and later actions apply to this use alone.
   */
  const overrideAction =
    (side: Side): NonNullable<ConversionConfig['overrideAction']> =>
    ({ valibotAction: { type, ...action }, jsonSchema }) => {
      if (type !== 'metadata') return undefined
      const { documentation } = (action as unknown as { metadata: { documentation?: GenericSchema } }).metadata
      if (documentation) return of(documentation, side)
      const { title, ...rest } = jsonSchema
      return title === undefined ? undefined : name(title, rest)
    }

  function of(schema: GenericSchema, side: Side): Json {
    const { $schema: _, ...rest } = toJsonSchema(schema, {
      target: 'draft-2020-12',
      typeMode: side,
      errorMode: 'ignore',
      ignoreActions: ['transform', 'check', 'string', 'custom'],
      overrideSchema: ({ valibotSchema, jsonSchema }) =>
        valibotSchema.type === 'variant'
          ? discriminated(valibotSchema, jsonSchema as Json)
          : plain(valibotSchema, jsonSchema as Json),
      overrideAction: overrideAction(side),
    }) as Json
    return rest
  }

  /** The options of a variant are components, and the key selects one. */
  function discriminated(schema: object, json: Json): Json {
    const propertyName = String((schema as { key: unknown }).key)
    const mapping = (json['oneOf'] as { $ref: string }[]).map(({ $ref }) => {
      const { properties } = components.get($ref.split('/').at(-1) ?? '') as { properties: Record<string, Json> }
      return [properties[propertyName]?.['const'], $ref] as const
    })
    return { ...json, discriminator: { propertyName, mapping: Object.fromEntries(mapping) } }
  }

  const sorted = () => [...components].toSorted(([one], [other]) => one.localeCompare(other))
  return { of, name, components: () => Object.fromEntries(sorted()) }
}

/** Schemas that the converter does not support, or converts in a way that client generators misread. */
function plain(schema: { type: string }, json: Json): Json {
  if (schema.type === 'date') return { type: 'string', format: 'date-time' }
  if (schema.type === 'record') {
    const { propertyNames: _, additionalProperties, ...rest } = json
    const isFree = Object.keys(additionalProperties as Json).length === 0
    return { ...rest, additionalProperties: isFree ? true : additionalProperties }
  }
  return json
}
