import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { providerSafe, spokenNames } from '../tool-names.ts'
import type { Conversation } from './conversation.ts'
import { fillArguments, readFacts } from './fill-arguments.ts'

/** Enough to show several steps, few enough not to surprise a site. */
const maxCalls = 3

export interface Move {
  texts: string[]
  calls: { name: string; arguments: string }[]
}

/**
 * The rule without a script. Candidates are the offered tools that the words name, or all. Of the uncalled ones whose
 * required inputs can be filled, it calls the first whose name suggests reading, or else the first. After three calls
 * it stops.
 */
export function chooseTool(conversation: Conversation, tools: LanguageModelV4FunctionTool[]): Move {
  const called = new Set(conversation.calls.map(({ name }) => name))
  const open = called.size < maxCalls ? named(conversation, tools).filter(({ name }) => !called.has(name)) : []
  const facts = readFacts(conversation)
  for (const { name, inputSchema } of [...open.filter(reads), ...open.filter((tool) => !reads(tool))]) {
    const filled = fillArguments(inputSchema, facts)
    if (filled) return { texts: [], calls: [{ name, arguments: JSON.stringify(filled) }] }
  }
  return { texts: [], calls: [] }
}

/** By the words of its name: `search_issues`, `issues.searchAll` or `SearchIssues`. */
const reads = ({ name }: LanguageModelV4FunctionTool): boolean =>
  name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .some((word) => readingWords.has(word))

const readingWords = new Set('find get list look lookup query read search show view'.split(' '))

function named({ instructions, words }: Conversation, tools: LanguageModelV4FunctionTool[]) {
  const written = `${instructions}\n${words}`.match(/\w(?:[\w.-]{0,98}\w)?/g) ?? []
  const named = new Set(written.map(providerSafe))
  const wanted = tools.filter(({ name }) => spokenNames(name).some((form) => named.has(form)))
  return wanted.length > 0 ? wanted : tools
}
