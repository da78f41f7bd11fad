import { isObject } from '../../json.ts'
import { constantSize } from './input-schema.ts'
import { keywords, usedKeywords, type Keyword, type SchemaObject } from './schema-keywords.ts'
import type { TextRules } from './text-rules.ts'

/** A schema that is safe for the validator: only known keywords, no untrusted patterns. */
export interface PlainSchema {
  schema: unknown
  cost: number
  uniqueLists: number
}

/**
 * Rewrites a checked schema for arguments with the given property names: a `pattern` becomes a custom `format`, and
 * `patternProperties` become `properties`. It accepts the same arguments. If the cost exceeds `maxCost`, it is
 * incomplete and must not be used.
 */
export function plainSchema(schema: unknown, names: Set<string>, rules: TextRules, maxCost: number): PlainSchema {
  const plain: PlainSchema = { schema, cost: 0, uniqueLists: 0 }

  const rewrite = (inner: unknown): unknown => {
    plain.cost++
    return isObject(inner) ? rewriteRules(inner) : inner
  }
  const rewriteMembers = (value: object): [string, unknown][] =>
    Object.entries(value).map(([name, inner]) => [name, rewrite(inner)])

  function rewriteRules(inner: SchemaObject): SchemaObject {
    const rewritten: SchemaObject = {}
    for (const [keyword, value] of usedKeywords(inner)) {
      if (!rewrittenElsewhere.has(keyword)) rewritten[keyword] = rewriteValue(keyword, value)
    }
    const patterns = isObject(inner['patternProperties']) ? inner['patternProperties'] : {}
    const properties = isObject(inner['properties']) ? rewriteMembers(inner['properties']) : []
    const all = mergeSame([...properties, ...rewriteMembers(patterns).flatMap(expand)])
    if (all.length > 0) rewritten['properties'] = Object.fromEntries(all)
    const formats = rules.names(inner['pattern'], inner['format']).map((format) => ({ format }))
    if (formats.length > 0) rewritten['allOf'] = [...((rewritten['allOf'] as unknown[] | undefined) ?? []), ...formats]
    return rewritten
  }

  function rewriteValue(keyword: Keyword, value: unknown): unknown {
    const form = keywords[keyword]
    plain.cost += constantSize(keyword, value) / 16
    if (keyword === 'uniqueItems' && value === true) plain.uniqueLists++
    if (form === 'schema') return rewrite(value)
    if (form === 'schemas') return (value as unknown[]).map(rewrite)
    return form === 'schemas by name' ? Object.fromEntries(rewriteMembers(value as object)) : value
  }

  const expand = ([pattern, inner]: [string, unknown]): [string, unknown][] => {
    if (plain.cost > maxCost) return []
    const matching = rules.matching(pattern, names)
    plain.cost += matching.length
    return matching.map((name) => [name, inner])
  }

  plain.schema = rewrite(schema)
  return plain
}

const rewrittenElsewhere = new Set<Keyword>([
  'pattern',
  'format',
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
])

/** If several schemas apply to one property, all of them count. */
function mergeSame(entries: [string, unknown][]): [string, unknown][] {
  const byName = new Map<string, unknown[]>()
  for (const [name, schema] of entries) byName.set(name, [...(byName.get(name) ?? []), schema])
  return [...byName].map(([name, schemas]) => [name, schemas.length === 1 ? schemas[0] : { allOf: schemas }])
}
