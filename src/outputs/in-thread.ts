import { isCoded, type ErrorDetail } from '../errors.ts'
import { parseJson } from '../json.ts'
import { schemaProblems } from '../sites/schema/input-schema.ts'
import { valueProblems } from '../sites/tool-arguments.ts'
import { exactJson, withoutFence } from './exact-json.ts'

/* Runs in a thread: owners write the schemas, and models write the values. */

/** The problems of an agent's output schema (JSON text); empty if it is usable. */
export const checkOutputSchema = (schema: string): ErrorDetail[] => schemaProblems(JSON.parse(schema))

export type ReadOutput = { output: string } | { problems: ErrorDetail[] }

export const tooLarge: ErrorDetail = { path: '', message: 'is too large to check against the JSON Schema' }

/** Reads a model's answer that must match a schema. The schema has passed `checkOutputSchema`. */
export function readOutput({ schema, answer }: { schema: string; answer: string }): ReadOutput {
  const text = withoutFence(answer)
  const parsed = parseJson(text)
  if (!parsed.ok) return { problems: [parsed.isTooDeep ? tooDeep : notJson] }
  const problems = problemsOf(JSON.parse(schema), parsed.value)
  return problems.length > 0 ? { problems } : { output: exactJson(text) }
}

const notJson: ErrorDetail = { path: '', message: 'must be a single JSON value with no text before or after it' }
const tooDeep: ErrorDetail = { path: '', message: 'must not be nested more than 100 levels deep' }

function problemsOf(schema: unknown, value: unknown): ErrorDetail[] {
  try {
    return valueProblems(schema, value, tooLarge)
  } catch (error) {
    // A later release may refuse a pattern of an accepted schema.
    if (isCoded(error, 'MANIFEST_INVALID'))
      return [{ path: '', message: 'cannot be checked because the schema contains an invalid pattern' }]
    throw error
  }
}
