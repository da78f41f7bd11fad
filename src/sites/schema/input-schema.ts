import type { ErrorDetail } from '../../errors.ts'
import { isObject, joinPath } from '../../json.ts'
import { firstProblems } from './first-problems.ts'
import { keywordForms } from './keyword-forms.ts'
import { compilePattern } from './linear-patterns.ts'
import { innerSchemas, keywords, usedKeywords, type Keyword, type SchemaObject } from './schema-keywords.ts'

const maxSchemas = 1_000
const maxDepth = 20
/** Characters of `enum`, `const`, `required` and the like in one schema: each is compared with each argument. */
const maxConstants = 32 * 1024
/** Instructions of all patterns of one manifest: about half a second of compilation. */
const maxInstructions = 100_000

const references = ['$ref', '$dynamicRef', '$recursiveRef']

/**
 * Characters of all patterns of one manifest: about a second of compilation at worst. A pattern that ignores case may
 * fold each of its classes character by character, so its characters count twenty times.
 */
const maxSource = 64 * 1024
const foldedWeight = 20

/** The used share of the pattern limits. All tools of a manifest share it. */
interface PatternBudget {
  instructions: number
  source: number
}

export const noPatterns = (): PatternBudget => ({ instructions: 0, source: 0 })

interface Walk {
  schemas: number
  constants: number
  budget: PatternBudget
}

/**
 * The problems of a tool's `input_schema`, by dotted path; empty if it is valid. Schemas are untrusted, so they are
 * bounded: no references, 20 levels, 1,000 inner schemas, and patterns that match in linear time. Unknown keywords are
 * ignored, as JSON Schema 2020-12 requires.
 */
export function inputSchemaProblems(schema: unknown, budget: PatternBudget = noPatterns()): ErrorDetail[] {
  if (!isObject(schema)) return [{ path: '', message: 'must be an object' }]
  const problems = schemaProblems(schema, budget)
  const hasRightType = schema['type'] === 'object' || problems.some(({ path }) => path === 'type')
  return hasRightType ? problems : [{ path: 'type', message: 'must be "object"' }, ...problems]
}

/** The problems of a stranger's schema for values of any type, by the same rules. */
export const schemaProblems = (schema: unknown, budget: PatternBudget = noPatterns()): ErrorDetail[] =>
  firstProblems(problemsIn(schema, '', 1, { schemas: 0, constants: 0, budget }))

function* problemsIn(schema: unknown, path: string, depth: number, walk: Walk): Generator<ErrorDetail> {
  walk.schemas++
  if (walk.schemas === maxSchemas + 1) yield { path, message: `must contain at most ${maxSchemas} schemas` }
  if (walk.schemas > maxSchemas || typeof schema === 'boolean') return
  if (!isObject(schema)) yield { path, message: 'must be a schema (an object, true or false)' }
  else if (depth > maxDepth) yield { path, message: `must not be nested more than ${maxDepth} schemas deep` }
  else yield* rulesProblems(schema, path, depth, walk)
}

function* rulesProblems(schema: SchemaObject, path: string, depth: number, walk: Walk): Generator<ErrorDetail> {
  for (const name of references) {
    if (Object.hasOwn(schema, name))
      yield { path: joinPath(path, name), message: 'is a reference, and references are not supported' }
  }
  for (const [keyword, value] of usedKeywords(schema)) {
    const place = joinPath(path, keyword)
    yield* valueProblems(keyword, value, place, walk)
    for (const [inner, at] of innerSchemas(keyword, value, place)) yield* problemsIn(inner, at, depth + 1, walk)
  }
}

function* valueProblems(keyword: Keyword, value: unknown, path: string, walk: Walk): Generator<ErrorDetail> {
  const form = keywordForms[keywords[keyword]]
  if (!form.holds(value)) yield { path, message: form.message }
  else if (keyword === 'pattern') yield* patternProblems(String(value), path, walk.budget)
  else if (keyword === 'patternProperties') {
    for (const key of Object.keys(value as object)) yield* patternProblems(key, joinPath(path, key), walk.budget)
  } else yield* constantProblems(keyword, value, path, walk)
}

function* patternProblems(source: string, path: string, budget: PatternBudget): Generator<ErrorDetail> {
  if (budget.instructions > maxInstructions || budget.source > maxSource) return
  budget.source += source.length * (ignoresCase.test(source) ? foldedWeight : 1)
  if (budget.source > maxSource) {
    yield { path, message: 'makes the patterns too long in total, or makes too many of them ignore case' }
    return
  }
  const pattern = compilePattern(source)
  if ('problem' in pattern) {
    yield { path, message: pattern.problem }
    return
  }
  budget.instructions += pattern.size
  if (budget.instructions > maxInstructions) yield { path, message: 'makes the patterns too large in total' }
}

/** `(?i)` and `(?i:…)`, also among other flags. */
const ignoresCase = /\(\?[a-zA-Z-]*i/

const constantForms = new Set(['list', 'anything', 'names', 'names by name'])

function* constantProblems(keyword: Keyword, value: unknown, path: string, walk: Walk): Generator<ErrorDetail> {
  if (!constantForms.has(keywords[keyword]) || walk.constants > maxConstants) return
  walk.constants += constantSize(keyword, value)
  if (walk.constants > maxConstants)
    yield { path, message: `makes the constants exceed ${maxConstants} characters in total` }
}

/** The characters to compare with one argument; 0 for keywords without a constant. */
export const constantSize = (keyword: Keyword, value: unknown): number =>
  constantForms.has(keywords[keyword]) ? (JSON.stringify(value)?.length ?? 0) : 0
