import { dereference, validate, type OutputUnit, type Schema } from '@cfworker/json-schema'
import { openapi } from '../../api/openapi/openapi.ts'
import type { AnyRoute } from '../../api/route/route.ts'
import { routes } from '../../api/routes.ts'

interface Content {
  content?: Record<string, { schema?: Schema; example?: unknown; examples?: Record<string, unknown> }>
}

/** An operation of the OpenAPI document, as far as tests read it. */
export interface Operation {
  operationId: string
  description?: string
  parameters?: { name: string; in: string; description?: string; schema: Schema }[]
  requestBody?: Content
  responses: Record<string, Content & { headers?: Record<string, unknown> }>
}

export interface Document {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; examples: Record<string, { value: unknown }> }
}

export const document = openapi(routes, 'http://test') as unknown as Document

/** A closed copy of the schema: an undeclared member of a response is an error. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const { discriminator, ...own } = value as Record<string, unknown>
  const { additionalProperties, ...copy } = Object.fromEntries(
    Object.entries(own).map(([name, one]) => [name, closed(one)]),
  )
  if (discriminator) return byKey(discriminator as Discriminator)
  // Where any name is allowed, the validator fails for names that are not valid Unicode.
  if (additionalProperties === true) return copy
  const isOpen = 'properties' in copy && additionalProperties === undefined && 'type' in copy && !('$ref' in copy)
  const members = isOpen ? false : additionalProperties
  return members === undefined ? copy : { ...copy, additionalProperties: members }
}

interface Discriminator {
  propertyName: string
  mapping: Record<string, string>
}

/** Validates only the option that the key selects, so that the errors of other options do not appear. */
const byKey = ({ propertyName: key, mapping }: Discriminator): object => ({
  required: [key],
  properties: { [key]: { enum: Object.keys(mapping) } },
  allOf: Object.entries(mapping).map(([value, $ref]) => ({
    if: { properties: { [key]: { const: value } } },
    // oxlint-disable-next-line unicorn/no-thenable -- a word of JSON Schema
    then: { $ref },
  })),
})

/** Examples are not schemas, and have their own ids and references. */
const withoutExamples = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, one: unknown) => (key === 'examples' ? undefined : one)))

const components = closed(withoutExamples({ schemas: document.components.schemas })) as Schema
const lookup = dereference({ components })
const prepared = new Map<Schema, Schema>()

/** Prepares the schema once, because preparing walks all of it. */
function ready(schema: Schema): Schema {
  const known = prepared.get(schema)
  if (known) return known
  const made = closed(withoutExamples(schema)) as Schema
  dereference(made, lookup, undefined, `/uses/${prepared.size}`)
  prepared.set(schema, made)
  return made
}

/** The violations of a schema of the document; empty if the value is valid and has no undeclared members. */
export function violations(schema: Schema, value: unknown): OutputUnit[] {
  const { valid, errors } = validate(value, ready(schema), '2020-12', lookup, false)
  return valid ? [] : errors
}

/** The most useful violations of many: those at the deepest paths. */
export const inWords = (errors: OutputUnit[]): string =>
  [...new Set(errors.toSorted((one, other) => depth(other) - depth(one)).map(sentence))].slice(0, 3).join(' · ')

const depth = ({ instanceLocation }: OutputUnit): number => instanceLocation.split('/').length

const sentence = ({ instanceLocation, keyword, error }: OutputUnit): string =>
  keyword === 'false' ? `${instanceLocation} is not declared` : `${instanceLocation}: ${error}`

/** The declared response of an operation, with its status. */
export const responseOf = (route: AnyRoute, status: number): Content | undefined =>
  document.paths[route.path]?.[route.method]?.responses[status]
