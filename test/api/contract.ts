import type { Schema } from '@cfworker/json-schema'
import { document, type Operation } from '../helpers/openapi-schemas.ts'

/** A schema of the OpenAPI document, and where it stands, in words for whoever has to describe it. */
export interface Placed {
  place: string
  schema: Schema
}

/** Every operation, and every request that the platform makes. */
export const operations: Operation[] = [...Object.values(document.paths), ...Object.values(document.webhooks)].flatMap(
  (methods) => Object.values(methods),
)

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null

/** The schema and all that it is made of, but not what it refers to. */
export function within({ place, schema }: Placed): Placed[] {
  const { properties = {}, items, anyOf = [], oneOf = [], allOf = [], additionalProperties } = schema
  const members = Object.entries(properties).map(([name, one]) => [`${place}.${name}`, one] as const)
  const choices = [...anyOf, ...oneOf, ...allOf].map((one) => [place, one] as const)
  const parts = [...members, ...choices, [`${place}[]`, items] as const, [`${place}.*`, additionalProperties] as const]
  const inner = parts.flatMap(([where, one]) => (isSchema(one) ? within({ place: where, schema: one }) : []))
  return [{ place, schema }, ...inner]
}

/** The schemas of requests, responses and parameters, which stand in operations. */
export const used: Placed[] = operations.flatMap(({ operationId, parameters = [], requestBody, responses }) => [
  ...parameters.map(({ name, schema }) => ({ place: `${operationId} ?${name}`, schema })),
  ...contents(`${operationId} body`, requestBody),
  ...Object.entries(responses).flatMap(([status, response]) => contents(`${operationId} ${status}`, response)),
])

function contents(place: string, given: Operation['requestBody']): Placed[] {
  const json = given?.content?.['application/json']?.schema
  return json ? [{ place, schema: json }] : []
}

/** The schemas with a name. */
export const components: Placed[] = Object.entries(document.components.schemas).map(([place, schema]) => ({
  place,
  schema,
}))

/** The members of an object, and the parameters of operations: what a reader needs an explanation of. */
export const fields: Placed[] = components.flatMap(within).flatMap(({ place, schema }) =>
  Object.entries(schema.properties ?? {}).map(([name, member]) => ({
    place: `${place}.${name}`,
    schema: member as Schema,
  })),
)

/** What a reference leads to. */
export const resolved = ({ $ref }: Schema): Schema | undefined =>
  $ref === undefined ? undefined : document.components.schemas[$ref.split('/').at(-1) ?? '']

/** What is said of a schema, at its place or where it is declared. */
export const meaningOf = (schema: Schema): unknown => schema['description'] ?? resolved(schema)?.['description']

/** The examples of bodies, by place. Those of errors are shared between operations. */
export const examples: (Placed & { example: unknown })[] = operations.flatMap(
  ({ operationId, requestBody, responses }) =>
    [
      [`${operationId} body`, requestBody] as const,
      ...Object.entries(responses).map(([status, one]) => [`${operationId} ${status}`, one] as const),
    ].flatMap(([place, given]) => {
      const { schema, example, examples: several = {} } = given?.content?.['application/json'] ?? {}
      if (!schema) return []
      const shared = Object.keys(several).map((code) => document.components.examples[code]?.value)
      return (example === undefined && shared.length > 0 ? shared : [example]).map((one) => ({
        place,
        schema,
        example: one,
      }))
    }),
)
