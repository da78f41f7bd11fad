import { isObject } from '../json.ts'

/** Members of a JSON Schema that say nothing about values, or what is so without them. */
const silent = (name: string, value: unknown): boolean =>
  ['$schema', '$id', 'title', 'description'].includes(name) || (name === 'additionalProperties' && value === true)

/**
 * The list of fields that a JSON Schema means: people write one because `outputSchema` is one. Undefined if it says more
 * than a list of fields can say. Other values stay as they are.
 */
export function fieldsOfSchema(given: unknown): unknown {
  if (!isObject(given)) return given
  const { type, properties = {}, required = [], ...rest } = given
  if (type !== 'object' || !isObject(properties) || !Array.isArray(required)) return undefined
  if (!Object.entries(rest).every(([name, value]) => silent(name, value))) return undefined
  if (!required.every((name) => typeof name === 'string' && Object.hasOwn(properties, name))) return undefined
  const fields = Object.entries(properties).map(([name, schema]) => fieldOf(name, schema, required.includes(name)))
  return fields.includes(undefined) ? undefined : fields
}

function fieldOf(name: string, schema: unknown, required: boolean) {
  if (!isObject(schema)) return undefined
  const { type, description, ...rest } = schema
  if (!Object.entries(rest).every(([member, value]) => silent(member, value))) return undefined
  return { name, type, required, ...(description !== undefined && { description }) }
}
