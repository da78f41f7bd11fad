import { isObject, joinPath } from '../../json.ts'

/**
 * The supported keywords of JSON Schema 2020-12, by the form of their value. Everything else in a schema is an
 * annotation and is ignored. `$defs` is listed so that its content is checked too.
 */
export const keywords = {
  type: 'types',
  enum: 'list',
  const: 'anything',
  format: 'text',
  pattern: 'pattern',
  minLength: 'count',
  maxLength: 'count',
  minimum: 'number',
  maximum: 'number',
  exclusiveMinimum: 'number',
  exclusiveMaximum: 'number',
  multipleOf: 'positive number',
  required: 'names',
  properties: 'schemas by name',
  patternProperties: 'schemas by pattern',
  additionalProperties: 'schema',
  unevaluatedProperties: 'schema',
  propertyNames: 'schema',
  minProperties: 'count',
  maxProperties: 'count',
  dependentRequired: 'names by name',
  dependentSchemas: 'schemas by name',
  items: 'schema',
  prefixItems: 'schemas',
  unevaluatedItems: 'schema',
  contains: 'schema',
  minContains: 'count',
  maxContains: 'count',
  minItems: 'count',
  maxItems: 'count',
  uniqueItems: 'flag',
  allOf: 'schemas',
  anyOf: 'schemas',
  oneOf: 'schemas',
  not: 'schema',
  if: 'schema',
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword has this name, and nobody awaits a string
  then: 'schema',
  else: 'schema',
  $defs: 'schemas by name',
  definitions: 'schemas by name',
} as const satisfies Record<string, string>

export type Keyword = keyof typeof keywords
export type KeywordForm = (typeof keywords)[Keyword]

export type SchemaObject = Record<string, unknown>

/** An own member of the object, never an inherited one. */
export const memberOf = (object: unknown, name: string): unknown =>
  isObject(object) && Object.hasOwn(object, name) ? object[name] : undefined

/** The supported keywords of a schema, with their values, without names inherited from Object.prototype. */
export function* usedKeywords(schema: SchemaObject): Generator<[Keyword, unknown]> {
  for (const [name, value] of Object.entries(schema)) {
    if (Object.hasOwn(keywords, name)) yield [name as Keyword, value]
  }
}

/** The schemas directly inside a keyword's value, each with its dotted path; none if the form is wrong. */
export function* innerSchemas(keyword: Keyword, value: unknown, path: string): Generator<[unknown, string]> {
  const form = keywords[keyword]
  if (form === 'schema') yield [value, path]
  const many =
    (form === 'schemas' && Array.isArray(value)) ||
    ((form === 'schemas by name' || form === 'schemas by pattern') && isObject(value))
  if (!many) return
  for (const [key, inner] of Object.entries(value)) yield [inner, joinPath(path, key)]
}
