import type { LanguageModelV4Content, LanguageModelV4ToolCall } from '@ai-sdk/provider'
import { newId } from '../ids.ts'
import { maxCharacters, maxDepth, plainArguments, readArguments, withoutTwins } from './arguments.ts'
import { providerSafe } from './tool-names.ts'
import { beginningOf, storable } from '../text.ts'

export interface RequestedCall {
  /** Unique in the run; the provider's own id if that is. */
  id: string
  name: string
  /** JSON text of the arguments as the model gave them. */
  arguments: string
  /** Why the call cannot be made: a sentence for the model. */
  problem?: string
}

/** More than a workflow can run at the same time, and far more than the usual RUN_TOOL_CALLS, which ends the run. */
const maxCalls = 1000

/**
 * Reads the first thousand tool calls of an answer, in order. An id that is empty, malformed or already used is
 * replaced: the AI SDK and the record would take two calls with one id for one.
 *
 * @param offered the names of the tools that the model was offered
 * @param taken the ids of the calls before this answer
 */
export function readCalls(
  content: LanguageModelV4Content[],
  offered: ReadonlySet<string>,
  taken: ReadonlySet<string>,
): RequestedCall[] {
  const used = new Set(taken)
  return content
    .filter((part) => part.type === 'tool-call')
    .slice(0, maxCalls)
    .map((part) => readCall(part, offered, used))
}

/** One escape of JSON: a pair of surrogates, half of one, or any other. */
const escapes = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[dD][89a-fA-F][\da-fA-F]{2}|.)/gs
const isHalf = /^\\u[dD]...$/

/** A JSON text with U+FFFD for what Postgres cannot store. Halves of surrogate pairs may be escapes (RFC 8259, 8.2). */
const storableJson = (text: string): string =>
  storable(text).replaceAll(escapes, (escape) => (isHalf.test(escape) ? String.raw`\ufffd` : escape))

function readCall(given: LanguageModelV4ToolCall, offered: ReadonlySet<string>, used: Set<string>): RequestedCall {
  const part = { ...given, input: plainArguments(given.input) }
  const problem = problemOf(part, offered)
  const id = /^[\w-]{1,64}$/.test(part.toolCallId) && !used.has(part.toolCallId) ? part.toolCallId : ownId()
  used.add(id)
  return {
    id,
    name: providerSafe(part.toolName),
    arguments: part.input.trim() === '' ? '{}' : storableJson(problem ? part.input : withoutTwins(part.input)),
    ...(problem && { problem }),
  }
}

const unreadableSentence = `The arguments must be a JSON object of at most ${maxCharacters} characters and ${maxDepth} levels.`

function problemOf({ toolName, input }: LanguageModelV4ToolCall, offered: ReadonlySet<string>): string | undefined {
  if (!offered.has(toolName)) {
    const name = JSON.stringify(beginningOf(storable(toolName), 100))
    return `There is no tool named ${name}. Use only the tools offered to you.`
  }
  if (!readArguments(input)) return unreadableSentence
  return undefined
}

const ownId = (): string => `call_${newId().replaceAll('-', '')}`
