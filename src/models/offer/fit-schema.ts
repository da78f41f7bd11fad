import { isObject } from '../../json.ts'
import type { ProviderKind } from '../../config/models-config.ts'
import { type SchemaObject } from '../../sites/schema/schema-keywords.ts'
import { shownSchema } from '../tool-texts.ts'
import { liftConditions } from './conditions.ts'
import { fitName, type PropertyNames } from './property-names.ts'
import { fitTexts, inferType, type Fitting } from './fit-keywords.ts'

export interface FittedSchema {
  schema: SchemaObject
  /** Rules of the top level that no provider accepts there; models get them as text. */
  conditions: SchemaObject | undefined
  names: PropertyNames
  /** Parts that could not be sent as written, each in a few words for the author. */
  changes: string[]
}

/** The levels that are sent, fewer if the schema is too long. Below them, any value of the type is allowed. */
const depths = [12, 4, 2, 1]

/** The most names in a list. A schema has no more properties, but a list of names may be as long as a manifest. */
const mostNames = 1000

/** A longer schema, in bytes of JSON, is sent with fewer levels. */
export const maxSchemaBytes = 32 * 1024

/**
 * Rewrites a schema so that all providers accept it, with as little loss as possible. Arguments are checked against the
 * site's own schema, so a loss costs the model help, and the site no protection.
 */
export function fitSchema(given: object, kind: ProviderKind): FittedSchema {
  const shown = shownSchema(given) as SchemaObject
  const names = new Map<string, string>()
  for (const mostLevels of depths) {
    const fitted = fitTo(shown, { kind, mostLevels, names, changes: new Set() })
    const isLast = mostLevels === depths.at(-1)
    if (isLast || Buffer.byteLength(JSON.stringify(fitted.schema)) <= maxSchemaBytes) return fitted
  }
  throw new Error('there is always a last number of levels')
}

function fitTo(shown: SchemaObject, fitting: Fitting): FittedSchema {
  const fitted = fitInner(shown, 1, fitting)
  const { schema, conditions } = liftConditions(fitted)
  for (const keyword of Object.keys(conditions ?? {})) {
    fitting.changes.add(
      `no provider accepts "${keyword}" at the top level of a schema, so models receive this rule as text`,
    )
  }
  const { type: _, properties = {}, ...rest } = schema
  const names = new Map([...fitting.names].map(([own, safe]) => [safe, own]))
  return { schema: { type: 'object', properties, ...rest }, conditions, names, changes: [...fitting.changes] }
}

function fitInner(schema: SchemaObject, level: number, fitting: Fitting): SchemaObject {
  const { $defs: _, definitions: __, ...rules } = fitNames(schema, fitting)
  const typed = inferType(rules)
  const inner: SchemaObject = {}
  for (const [keyword, value] of Object.entries(fitTexts(typed, fitting))) {
    const place = placeOf(keyword)
    if (place === undefined) inner[keyword] = value
    else if (level < fitting.mostLevels) Object.assign(inner, place(keyword, value, level + 1, fitting))
    else fitting.changes.add(`models receive at most ${fitting.mostLevels} levels of the schema`)
  }
  return withItems(withRequired(level < fitting.mostLevels ? inner : { ...inner, required: undefined }))
}

type Place = (keyword: string, value: unknown, level: number, fitting: Fitting) => SchemaObject

/** How the schemas inside a keyword are fitted; undefined for a keyword without schemas. */
function placeOf(keyword: string): Place | undefined {
  if (named.has(keyword)) return fitNamed
  if (listed.has(keyword)) return fitListed
  return single.has(keyword) ? fitSingle : undefined
}

const named = new Set(['properties', 'patternProperties', 'dependentSchemas'])
const listed = new Set(['prefixItems', 'allOf', 'anyOf', 'oneOf'])
const single = new Set([
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'items',
  'unevaluatedItems',
  'contains',
  'not',
  'if',
  'then',
  'else',
])
/** Providers accept `true` and `false` only here. */
const mayBeClosed = new Set(['additionalProperties', 'unevaluatedProperties'])

const fitNamed: Place = (keyword, value, level, fitting) => ({
  [keyword]: Object.fromEntries(
    Object.entries(value as SchemaObject)
      // A property that must be absent is not mentioned.
      .filter(([, inner]) => inner !== false || keyword !== 'properties')
      .map(([name, inner]) => [name, fitAny(inner, level, fitting)]),
  ),
})

const fitListed: Place = (keyword, value, level, fitting) => ({
  [keyword]: (value as unknown[]).map((inner) => fitAny(inner, level, fitting)),
})

const fitSingle: Place = (keyword, value, level, fitting) => {
  if (typeof value === 'boolean' && mayBeClosed.has(keyword)) return { [keyword]: value }
  // A list that is closed after its first items.
  if (value === false && (keyword === 'items' || keyword === 'unevaluatedItems')) return {}
  return { [keyword]: fitAny(value, level, fitting) }
}

const fitAny = (schema: unknown, level: number, fitting: Fitting): SchemaObject => {
  if (isObject(schema)) return fitInner(schema, level, fitting)
  return schema === false ? { not: {} } : {}
}

function fitNames(schema: SchemaObject, { names, changes }: Fitting): SchemaObject {
  const nameOf = (name: string): string => {
    const safe = names.get(name) ?? fitName(name)
    if (safe === name) return name
    names.set(name, safe)
    changes.add(
      `the property ${JSON.stringify(name)} is renamed to "${safe}" for models because not all providers accept its name`,
    )
    return safe
  }
  const namesOf = (list: unknown): unknown =>
    Array.isArray(list) ? [...new Set(list.slice(0, mostNames).map((name) => nameOf(String(name))))] : list
  const keyed = (value: unknown, inner: (value: unknown) => unknown, note: (name: string, value: unknown) => unknown) =>
    Object.fromEntries(
      Object.entries(value as SchemaObject).map(([name, one]) => [nameOf(name), note(name, inner(one))]),
    )
  const same = (value: unknown) => value
  const plain = (_name: string, value: unknown) => value
  const fitted = { ...schema }
  if (isObject(schema['properties'])) {
    fitted['properties'] = keyed(schema['properties'], same, (name, one) =>
      names.has(name) ? withOwnName(one, name) : one,
    )
  }
  if (isObject(schema['dependentSchemas'])) fitted['dependentSchemas'] = keyed(schema['dependentSchemas'], same, plain)
  if (isObject(schema['dependentRequired'])) {
    fitted['dependentRequired'] = keyed(schema['dependentRequired'], namesOf, plain)
  }
  if (schema['required'] !== undefined) fitted['required'] = namesOf(schema['required'])
  return fitted
}

const withOwnName = (schema: unknown, name: string): unknown => {
  if (schema === false) return schema
  const { description, ...rest } = isObject(schema) ? schema : {}
  const original = typeof description === 'string' ? ` ${description}` : ''
  return { ...rest, description: `Original name: ${JSON.stringify(name)}.${original}` }
}

/** Google rejects a name in `required` that `properties` does not have. An empty list says nothing. */
function withRequired({ required, ...schema }: SchemaObject): SchemaObject {
  if (!Array.isArray(required) || required.length === 0) return schema
  const { properties } = schema
  const known = isObject(properties) ? properties : {}
  const lacking = required.map(String).filter((name) => !Object.hasOwn(known, name))
  const all = { ...known, ...Object.fromEntries(lacking.map((name) => [name, {}])) }
  return { ...schema, properties: all, required }
}

/** OpenAI and Google reject a list without `items`. */
const withItems = (schema: SchemaObject): SchemaObject =>
  [schema['type']].flat().includes('array') && !('items' in schema) ? { ...schema, items: {} } : schema
