import type { ErrorDetail } from '../../../errors.ts'
import { isObject, lossyPlaces } from '../../../json.ts'
import { cleanName, withoutHidden } from '../../../names.ts'
import { shortened, storable } from '../../../text.ts'
import { problemSentence, type LeftOutTool } from '../../left-out.ts'
import { inputSchemaProblems, noPatterns } from '../../schema/input-schema.ts'
import { maxTools } from '../../tool.ts'
import { headerProblems } from './header-parameters.ts'
import { inlineReferences } from './inline-references.ts'

/** A tool of a list that the platform can use. Its schemas have no references. */
export interface PickedTool extends Record<string, unknown> {
  name: string
  inputSchema: Record<string, unknown>
  /** Undefined if it has none, or one that no result can be checked by. */
  outputSchema: Record<string, unknown> | undefined
}

export interface Picked {
  usable: PickedTool[]
  leftOut: LeftOutTool[]
}

/**
 * Picks the tools of a list that the platform can use. Servers do not know its rules, so one tool that breaks them must
 * not cost the others: it is left out, with the first of its problems.
 */
export function pickTools(tools: readonly unknown[]): Picked {
  const picked: Picked = { usable: [], leftOut: [] }
  const budgets = { patterns: noPatterns(), copies: { copied: 0 } }
  for (const [index, given] of tools.entries()) {
    const read = readTool(given, picked.usable, budgets)
    if ('tool' in read) picked.usable.push(read.tool)
    else picked.leftOut.push({ name: shownName(given) || `#${index + 1}`, problem: problemSentence(read.problem) })
  }
  return picked
}

interface Budgets {
  patterns: ReturnType<typeof noPatterns>
  copies: { copied: number }
}

function readTool(
  given: unknown,
  earlier: readonly PickedTool[],
  budgets: Budgets,
): { tool: PickedTool } | { problem: ErrorDetail } {
  if (!isObject(given)) return { problem: { path: '', message: 'must be an object' } }
  const { name } = given
  if (!isToolName(name)) return { problem: { path: 'name', message: nameRule } }
  if (earlier.length === maxTools) return { problem: { path: '', message: `is beyond the first ${maxTools} tools` } }
  if (earlier.some((other) => other.name === name))
    return { problem: { path: 'name', message: "duplicates an earlier tool's name" } }
  const [ofHeaders] = headerProblems(given['inputSchema'])
  if (ofHeaders) return { problem: { ...ofHeaders, path: `inputSchema.${ofHeaders.path}` } }
  const input = readSchema('inputSchema', given, budgets)
  if ('problem' in input) return input
  // Results of a tool whose output schema is unusable are passed on unchecked, as those of a tool without one.
  const output = readSchema('outputSchema', given, budgets)
  const outputSchema = 'schema' in output ? output.schema : undefined
  return { tool: { ...given, name, inputSchema: input.schema, outputSchema } }
}

/** A schema that is refused uses none of the limits that all schemas of the list share. */
function readSchema(
  member: 'inputSchema' | 'outputSchema',
  { [member]: given }: Record<string, unknown>,
  budgets: Budgets,
): { schema: Record<string, unknown> } | { problem: ErrorDetail } {
  const [patterns, copies] = [{ ...budgets.patterns }, { ...budgets.copies }]
  const read = inlineReferences(given, copies)
  const [problem] = 'problem' in read ? [read.problem] : schemaProblems(read.schema, patterns)
  if (problem) return { problem: { ...problem, path: `${member}${problem.path && `.${problem.path}`}` } }
  Object.assign(budgets, { patterns, copies })
  return read as { schema: Record<string, unknown> }
}

const schemaProblems = (schema: unknown, patterns: Budgets['patterns']): ErrorDetail[] => [
  ...inputSchemaProblems(schema, patterns),
  ...lossyTexts(schema),
]

const nameRule = 'must have 1 to 128 letters, digits and the signs _ - . /'
const isToolName = (name: unknown): name is string => typeof name === 'string' && /^[\w./-]{1,128}$/.test(name)

/** Rounded numbers are accepted, as in a manifest. */
const lossyTexts = (value: unknown): ErrorDetail[] => [...lossyPlaces(value)].filter(({ kind }) => kind !== 'number')

const shownName = (given: unknown): string =>
  isObject(given) && typeof given['name'] === 'string'
    ? shortened(withoutHidden(cleanName(storable(given['name']))), 128)
    : ''
