import { isObject } from '../json.ts'

/** Members of a JSON Schema that do not restrict values, or state a default. */
const saysNothing = (name: string, value: unknown): boolean =>
  ['$schema', '$id', 'title', 'description'].includes(name) || (name === 'additionalProperties' && value === true)

/**
 * Converts a JSON Schema to a list of fields: people write one because `outputSchema` is one. Undefined if a list of
 * fields cannot express it. Other values stay unchanged.
 */
export function fieldsOfSchema(given: unknown): unknown {
  if (!isObject(given)) return given
  const { type, properties = {}, required = [], ...rest } = given
  if (type !== 'object' || !isObject(properties) || !Array.isArray(required)) return undefined
  if (!Object.entries(rest).every(([name, value]) => saysNothing(name, value))) return undefined
  if (!required.every((name) => typeof name === 'string' && Object.hasOwn(properties, name))) return undefined
  const fields = Object.entries(properties).map(([name, schema]) => fieldOf(name, schema, required.includes(name)))
  return fields.includes(undefined) ? undefined : fields
}

function fieldOf(name: string, schema: unknown, required: boolean) {
  if (!isObject(schema)) return undefined
  const { type, description, ...rest } = schema
  if (!Object.entries(rest).every(([member, value]) => saysNothing(member, value))) return undefined
  return { name, type, required, ...(description !== undefined && { description }) }
}
