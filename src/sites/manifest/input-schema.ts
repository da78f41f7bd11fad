import type { ErrorDetail } from '../../errors.ts'
import { joinPath } from '../../json.ts'
import { firstProblems } from './first-problems.ts'
import { keywordForms } from './keyword-forms.ts'
import { compilePattern } from './linear-patterns.ts'
import { innerSchemas, isObject, keywords, usedKeywords, type Keyword, type SchemaObject } from './schema-keywords.ts'

const mostSchemas = 1_000
const deepest = 20
/** Characters of `enum`, `const`, `required` and the like in one schema: each is compared with each argument. */
const mostConstants = 32 * 1024
/** Instructions of all patterns of one manifest together: about half a second of compiling. */
const mostInstructions = 100_000

const references = ['$ref', '$dynamicRef', '$recursiveRef']

/** How much of the limit for patterns is used up; the tools of one manifest share it. */
interface PatternBudget {
  instructions: number
}

interface Walk {
  schemas: number
  constants: number
  budget: PatternBudget
}

/**
 * What is wrong with a tool's `input_schema`, by dotted path; an empty list if nothing is. Schemas come from
 * strangers, so they are bounded before they are used: no references, 20 levels, 1,000 schemas inside, and patterns
 * that match in linear time. Unknown keywords are ignored, as JSON Schema 2020-12 demands.
 */
export function inputSchemaProblems(schema: unknown, budget: PatternBudget = { instructions: 0 }): ErrorDetail[] {
  if (!isObject(schema)) return [{ path: '', message: 'must be an object' }]
  const walk = { schemas: 0, constants: 0, budget }
  const problems = firstProblems(schemaProblems(schema, '', 1, walk))
  const isRight = schema['type'] === 'object' || problems.some(({ path }) => path === 'type')
  return isRight ? problems : [{ path: 'type', message: 'must be "object"' }, ...problems]
}

function* schemaProblems(schema: unknown, path: string, depth: number, walk: Walk): Generator<ErrorDetail> {
  walk.schemas++
  if (walk.schemas === mostSchemas + 1) yield { path, message: `must not contain more than ${mostSchemas} schemas` }
  if (walk.schemas > mostSchemas || typeof schema === 'boolean') return
  if (!isObject(schema)) yield { path, message: 'must be a schema: an object, true or false' }
  else if (depth > deepest) yield { path, message: `must not be nested deeper than ${deepest} schemas` }
  else yield* rulesProblems(schema, path, depth, walk)
}

function* rulesProblems(schema: SchemaObject, path: string, depth: number, walk: Walk): Generator<ErrorDetail> {
  for (const name of references) {
    if (Object.hasOwn(schema, name)) yield { path: joinPath(path, name), message: 'references are not supported' }
  }
  for (const [keyword, value] of usedKeywords(schema)) {
    const place = joinPath(path, keyword)
    yield* valueProblems(keyword, value, place, walk)
    for (const [inner, at] of innerSchemas(keyword, value, place)) yield* schemaProblems(inner, at, depth + 1, walk)
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
  if (budget.instructions > mostInstructions) return
  const pattern = compilePattern(source)
  if ('problem' in pattern) {
    yield { path, message: pattern.problem }
    return
  }
  budget.instructions += pattern.size
  if (budget.instructions > mostInstructions) yield { path, message: 'all patterns together are too large' }
}

const constantForms = new Set(['list', 'anything', 'names', 'names by name'])

function* constantProblems(keyword: Keyword, value: unknown, path: string, walk: Walk): Generator<ErrorDetail> {
  if (!constantForms.has(keywords[keyword]) || walk.constants > mostConstants) return
  walk.constants += constantSize(keyword, value)
  if (walk.constants > mostConstants)
    yield { path, message: `all constants together exceed ${mostConstants} characters` }
}

/** Characters of a constant, which comparing it with one argument costs; 0 for keywords that are none. */
export const constantSize = (keyword: Keyword, value: unknown): number =>
  constantForms.has(keywords[keyword]) ? (JSON.stringify(value)?.length ?? 0) : 0
