import type { LanguageModelV4Content, LanguageModelV4ToolCall } from '@ai-sdk/provider'
import { newId } from '../ids.ts'
import { maxCharacters, maxDepth, plainArguments, readArguments, withoutTwins } from './arguments.ts'
import { providerSafe } from './tool-names.ts'
import { beginningOf, storable } from '../text.ts'

export interface RequestedCall {
  /** Unique in the run; the provider's own id if that is unique. */
  id: string
  name: string
  arguments: string
  /** Why the call cannot be sent, as a sentence for the model. */
  problem?: string
}

/** More than a workflow can run at the same time, and far above the usual RUN_TOOL_CALLS, which ends the run. */
const maxCalls = 1000

/**
 * Reads the first thousand tool calls of an answer, in order. An empty, malformed or used id is replaced, because the
 * AI SDK and the record would treat two calls with the same id as one.
 *
 * @param offered the names of the offered tools
 * @param taken the ids of calls before this answer
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

/** One JSON escape: a surrogate pair, half of one, or any other. */
const escapes = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[dD][89a-fA-F][\da-fA-F]{2}|.)/gs
const isHalf = /^\\u[dD]...$/

/**
 * Replaces characters that Postgres cannot store by U+FFFD. Halves of surrogate pairs may be escapes (RFC 8259, 8.2).
 */
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
    return `There is no tool named ${name}. You can call only the tools you were given.`
  }
  if (!readArguments(input)) return unreadableSentence
  return undefined
}

const ownId = (): string => `call_${newId().replaceAll('-', '')}`
