import type { ErrorDetail } from '../../../errors.ts'
import { isObject, joinPath } from '../../../json.ts'
import { valueAt } from '../../schema/json-pointer.ts'
import { keywords, type Keyword, type SchemaObject } from '../../schema/schema-keywords.ts'

/** References within references. A schema's inner schemas must not be nested more deeply either. */
const deepest = 20

/** Characters that references may add to the schemas of one list. */
const maxCopied = 256 * 1024

/** The used share of the limit. All schemas of a list share it. */
export interface CopyBudget {
  copied: number
}

/** A reference that cannot be replaced. */
class Unresolved extends Error {
  readonly detail: ErrorDetail

  constructor(path: string, message: string) {
    super(message)
    this.detail = { path: joinPath(path, '$ref'), message }
  }
}

/**
 * Replaces the references of a schema to its own parts (JSON Schema 2020-12, 8.2.3.1) with these parts: generators of
 * schemas write `#/$defs/…` for every named type, and the platform's rules know no references. A schema that refers to
 * itself or to another document stays unusable. `schema` must be parsed from JSON of a bounded depth.
 */
export function inlineReferences(schema: unknown, budget: CopyBudget): { schema: unknown } | { problem: ErrorDetail } {
  if (!mentionsReference(schema)) return { schema }
  try {
    return { schema: inlined(schema, '', { root: schema, open: [], budget }) }
  } catch (error) {
    if (error instanceof Unresolved) return { problem: error.detail }
    throw error
  }
}

const mentionsReference = (schema: unknown): boolean => JSON.stringify(schema)?.includes('"$ref"') ?? false

interface Walk {
  root: unknown
  /** The references that are being replaced, from the outermost to the innermost. */
  open: readonly string[]
  budget: CopyBudget
}

function inlined(schema: unknown, path: string, walk: Walk): unknown {
  if (!isObject(schema)) return schema
  const { $ref: reference, $defs: _defs, definitions: _definitions, ...others } = schema
  const rest = Object.fromEntries(
    Object.entries(others).map(([name, value]) => [name, inlinedMember(name, value, joinPath(path, name), walk)]),
  )
  if (!Object.hasOwn(schema, '$ref')) return rest
  const target = targetOf(reference, path, walk)
  // Keywords beside a reference hold as well; annotations beside it describe this place better than its target does.
  if (isObject(target) && !Object.keys(rest).some(isRule)) return { ...target, ...rest }
  const { allOf } = rest
  return { ...rest, allOf: [...(Array.isArray(allOf) ? (allOf as unknown[]) : []), target] }
}

const isRule = (name: string): boolean => Object.hasOwn(keywords, name)

function inlinedMember(name: string, value: unknown, path: string, walk: Walk): unknown {
  const form = isRule(name) ? keywords[name as Keyword] : undefined
  if (form === 'schema') return inlined(value, path, walk)
  if (form === 'schemas' && Array.isArray(value))
    return value.map((inner, index) => inlined(inner, joinPath(path, index), walk))
  if ((form === 'schemas by name' || form === 'schemas by pattern') && isObject(value)) return byName(value, path, walk)
  return value
}

const byName = (schemas: SchemaObject, path: string, walk: Walk): SchemaObject =>
  Object.fromEntries(Object.entries(schemas).map(([key, inner]) => [key, inlined(inner, joinPath(path, key), walk)]))

function targetOf(reference: unknown, path: string, { root, open, budget }: Walk): unknown {
  if (typeof reference !== 'string' || !/^#(?:\/|$)/.test(reference))
    throw new Unresolved(path, 'is a reference to another document, and such references are not supported')
  if (open.includes(reference) || reference === '#')
    throw new Unresolved(path, 'is a reference of a schema to itself, and recursion is not supported')
  if (open.length === deepest) throw new Unresolved(path, `goes through more than ${deepest} references`)
  const target = valueAt(root, reference)
  if (!isObject(target) && typeof target !== 'boolean') throw new Unresolved(path, 'refers to no schema')
  budget.copied += JSON.stringify(target).length
  if (budget.copied > maxCopied)
    throw new Unresolved(path, `makes the references of the list exceed ${maxCopied} characters in total`)
  return inlined(target, path, { root, open: [...open, reference], budget })
}
