import { validate, type OutputUnit, type Schema } from '@cfworker/json-schema'
import type { ErrorDetail } from '../errors.ts'
import { isObject, joinPath } from '../json.ts'
import { argumentSize, type ArgumentSize } from './argument-size.ts'
import { firstProblems } from './schema/first-problems.ts'
import { plainSchema, type PlainSchema } from './schema/plain-schema.ts'

import { createTextRules, type TextRules } from './schema/text-rules.ts'

/** Values times schemas that one validation may check: under a second and 100 MB of temporary errors at worst. */
const maxChecks = 200_000

export const tooMuch: ErrorDetail = { path: '', message: "is too large to check against the tool's input schema" }

/**
 * The problems of a tool call's arguments, by dotted path, at most 20; empty if valid. The checked schema is
 * interpreted, because code compiled from a stranger's schema would run beside everybody's credentials. Time and memory
 * are bounded.
 */
export const argumentProblems = (schema: unknown, args: unknown): ErrorDetail[] =>
  isObject(args) ? valueProblems(schema, args, tooMuch) : [{ path: '', message: 'must be an object' }]

/** As `argumentProblems`, for a value of any type and a checked schema. Returns `tooMuch` for an oversized value. */
export function valueProblems(schema: unknown, value: unknown, tooMuch: ErrorDetail): ErrorDetail[] {
  const size = argumentSize(value)
  if (size.problems.length > 0) return firstProblems(size.problems)
  const rules = createTextRules()
  const plain = plainSchema(schema, size.names, rules, maxChecks / size.weight)
  if (checksNeeded(size, plain) > maxChecks) return [tooMuch]
  const errors = check(value, plain, rules)
  return errors === undefined || rules.isExhausted() ? [tooMuch] : firstProblems(readable(errors, rules))
}

/** Comparing two list items costs a sixteenth of a check. */
const checksNeeded = ({ weight, longestList }: ArgumentSize, { cost, uniqueLists }: PlainSchema): number =>
  weight * (cost + (uniqueLists * longestList) / 16)

function check(value: unknown, plain: PlainSchema, rules: TextRules): OutputUnit[] | undefined {
  try {
    // An empty lookup table: references are rejected, so the validator need not walk the schema for them.
    const known = Object.create(null) as Record<string, Schema>
    return rules.during(() => validate(value, plain.schema as Schema, '2020-12', known, false).errors)
  } catch (error) {
    // The validator passes lists of errors as call arguments; very long ones overflow the stack.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Keywords whose error only says that another error follows. */
const wrappers = new Set([
  'properties',
  'additionalProperties',
  'unevaluatedProperties',
  'items',
  'prefixItems',
  'unevaluatedItems',
  'allOf',
  'if',
  'dependentSchemas',
])

function* readable(errors: OutputUnit[], rules: TextRules): Generator<ErrorDetail> {
  const reported = new Set<string>()
  for (const { keyword, instanceLocation, error } of errors) {
    if (wrappers.has(keyword)) continue
    const detail = { path: dotted(instanceLocation), message: sentence(keyword, error, rules) }
    const key = `${detail.path}\n${detail.message}`
    if (!reported.has(key)) yield detail
    reported.add(key)
  }
}

function sentence(keyword: string, error: string, rules: TextRules): string {
  if (keyword === 'false') return 'is not allowed here'
  if (keyword === 'format') return rules.message(error) ?? error
  if (keyword === 'maxProperties') return 'has too many properties'
  return error
    .replace(/^(Instance|String|Array) /, '')
    .replace(/^type "(\w+)" is invalid\. E/, 'has the type "$1", e')
    .replace(/\.$/, '')
}

/** `#/a/b~1c/0` as `a.b/c.0`: a JSON pointer (RFC 6901) in the validator's fragment form. */
function dotted(pointer: string): string {
  const names = pointer.split('/').slice(1)
  return names.map(decodeURIComponent).reduce((path, name) => joinPath(path, unescape(name)), '')
}

const unescape = (name: string): string => name.replaceAll('~1', '/').replaceAll('~0', '~')
