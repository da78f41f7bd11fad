import { isObject } from '../../json.ts'
import { type SchemaObject } from '../../sites/schema/schema-keywords.ts'

/** Keywords that OpenAI and Anthropic reject at the top level of a schema. */
const lifted = new Set(['anyOf', 'oneOf', 'allOf', 'not', 'enum', 'const', 'if', 'then', 'else', 'dependentSchemas'])

const notes = new Set(['title', 'description', 'default', 'examples'])

/**
 * Moves these rules from the top level into a separate schema. Their properties become properties of the top level,
 * because the model would not know them otherwise.
 */
export function liftConditions(schema: SchemaObject): { schema: SchemaObject; conditions: SchemaObject | undefined } {
  const found = Object.entries(schema).filter(([keyword]) => lifted.has(keyword))
  if (found.length === 0) return { schema, conditions: undefined }
  const conditions = Object.fromEntries(found)
  const rest = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !lifted.has(keyword)))
  const own = isObject(rest['properties']) ? rest['properties'] : {}
  const byName = Map.groupBy(propertiesIn(conditions), ([name]) => name)
  const added = [...byName]
    .filter(([name]) => !Object.hasOwn(own, name))
    .map(([name, all]) => [name, anyOf(all)] as const)
  const settled = new Set(
    added.flatMap(([name, form]) => (byName.get(name)?.length === 1 && !saysNothing(form) ? name : [])),
  )
  const required = [...new Set([...namesIn(rest['required']), ...requiredIn(conditions)])]
  return {
    schema: {
      ...rest,
      properties: { ...own, ...Object.fromEntries(added) },
      ...(required.length > 0 && { required }),
    },
    conditions: inShort(conditions, settled) as SchemaObject,
  }
}

/** The properties of all branches, including nested ones. A condition is not a rule for its property. */
function propertiesIn(schema: SchemaObject): [string, unknown][] {
  const own = isObject(schema['properties']) ? Object.entries(schema['properties']) : []
  const branches = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => listOf(schema[keyword]))
  const dependent = isObject(schema['dependentSchemas']) ? Object.values(schema['dependentSchemas']) : []
  const inside = [...branches, ...dependent, schema['then'], schema['else']].filter(isObject).flatMap(propertiesIn)
  const asked = isObject(schema['if']) ? propertiesIn(schema['if']).map(([name]): [string, unknown] => [name, {}]) : []
  return [...own, ...inside, ...asked]
}

/** A property in several branches can have any of their forms, or any form at all if one branch has no rules for it. */
function anyOf(all: [string, unknown][]): unknown {
  const forms = [...new Map(all.map(([, form]) => [JSON.stringify(form), form])).values()]
  if (forms.length === 1) return forms[0]
  return forms.some((form) => isObject(form) && Object.keys(form).length === 0) ? {} : { anyOf: forms }
}

function requiredIn(schema: SchemaObject): string[] {
  const inAll = listOf(schema['allOf']).filter(isObject).flatMap(allRequired)
  const inEach = ['anyOf', 'oneOf'].flatMap((keyword) => {
    const [first, ...others] = listOf(schema[keyword]).map((one) => (isObject(one) ? allRequired(one) : []))
    return (first ?? []).filter((name) => others.every((names) => names.includes(name)))
  })
  return [...inAll, ...inEach]
}

const allRequired = (schema: SchemaObject): string[] => [...namesIn(schema['required']), ...requiredIn(schema)]

const namesIn = (value: unknown): string[] => listOf(value).map(String)

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]) : [])

/** Keywords whose values are not schemas. */
const values = new Set(['enum', 'const', 'required', 'dependentRequired'])
const byName = new Set(['properties', 'patternProperties', 'dependentSchemas'])

/** Omits notes, and properties that the schema itself defines. */
function inShort(value: unknown, settled: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((one) => inShort(one, settled))
  if (!isObject(value)) return value
  const members = Object.entries(value).flatMap(([keyword, member]): [string, unknown][] => {
    if (notes.has(keyword) || (keyword === 'type' && member === 'object')) return []
    if (values.has(keyword)) return [[keyword, member]]
    if (!byName.has(keyword) || !isObject(member)) return [[keyword, inShort(member, settled)]]
    const isSettled = (name: string) => keyword === 'properties' && settled.has(name)
    const left = Object.entries(member).filter(([name, form]) => !isSettled(name) && !saysNothing(form))
    const short = left.map(([name, form]) => [name, inShort(form, settled)] as const)
    return short.length === 0 ? [] : [[keyword, Object.fromEntries(short)]]
  })
  return Object.fromEntries(members)
}

const saysNothing = (schema: unknown): boolean => isObject(schema) && Object.keys(schema).length === 0
