import { isCoded, problemInWords, type ErrorDetail } from '../../../errors.ts'
import { isObject, parseJson } from '../../../json.ts'
import { plainNumber, readExactly } from '../../../outputs/exact-json.ts'
import { argumentSize } from '../../argument-size.ts'
import { valueProblems } from '../../tool-arguments.ts'

/** A result of a tool, and the schema that its structured form must match, both as JSON texts. */
export interface GivenResult {
  text: string
  schema?: string | undefined
}

export type ReadResult =
  /** The one form of the result that models see, as the JSON text of an object. */
  | { text: string }
  /** The tool's own words about its failure. */
  | { error: string }
  /** Why there is no form that models can be shown, without words of the site: its secrets are not masked yet. */
  | { problem: string }

/**
 * Reads the result of a tool: its structured form if that matches the tool's output schema, or else its content. Runs in
 * a thread if the result is long or has a schema, because strangers' input decides how long it takes.
 */
export function readToolResult({ text, schema }: GivenResult): ReadResult {
  const result = readExactly(text) as Record<string, unknown>
  const { structuredContent, content, isError } = result
  const blocks = Array.isArray(content) ? (content as unknown[]).filter(isObject) : []
  if (isError === true) return { error: wordsOf(blocks) }
  if (structuredContent === undefined || structuredContent === null)
    return Array.isArray(content) ? { text: contentText(blocks) } : { problem: 'It is no result of a tool.' }
  const [problem] = schema === undefined ? [] : problemsOf(schema, structuredContent)
  if (!problem) return { text: JSON.stringify(inObject(structuredContent)) }
  return blocks.length > 0
    ? { text: contentText(blocks, `${mismatch}: ${problemInWords(problem)}.`) }
    : { problem: `${mismatch}.` }
}

const mismatch = "Its structured form does not match the tool's output schema"

/**
 * A value that cannot be checked is not known to be wrong: one that is too large, has names or texts that arguments must
 * not have, or belongs to a schema that only an earlier release accepted.
 */
function problemsOf(schema: string, value: unknown): ErrorDetail[] {
  const parsed = parseJson(JSON.stringify(value))
  if (!parsed.ok || argumentSize(parsed.value).problems.length > 0) return []
  try {
    const problems = valueProblems(JSON.parse(schema), parsed.value, tooMuch)
    return problems.includes(tooMuch) ? [] : problems
  } catch (error) {
    if (isCoded(error, 'MANIFEST_INVALID')) return []
    throw error
  }
}

/** Results of calls are objects. Since 2026, structured forms may be any value. */
const inObject = (value: unknown): unknown => (isObject(plainNumber(value)) ? value : { structuredContent: value })

const tooMuch: ErrorDetail = { path: '', message: 'is too large to check' }

/** The content, and why it is shown in place of the structured form. */
const contentText = (blocks: Record<string, unknown>[], note?: string): string =>
  JSON.stringify({ content: blocks.map(withoutData), note })

const wordsOf = (blocks: Record<string, unknown>[]): string =>
  blocks
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .filter(Boolean)
    .join('\n')

/** Pictures and sounds are said to be there, because models get results as text. */
function withoutData(block: Record<string, unknown>): Record<string, unknown> {
  const { data, resource, ...rest } = block
  if (typeof data === 'string') return { ...rest, omittedCharacters: data.length }
  if (!isObject(resource)) return block
  const { blob, ...described } = resource
  return typeof blob === 'string' ? { ...rest, resource: { ...described, omittedCharacters: blob.length } } : block
}
