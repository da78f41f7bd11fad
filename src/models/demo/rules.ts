import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { providerSafe, spokenNames } from '../tool-names.ts'
import type { Conversation } from './conversation.ts'
import { fillArguments, readFacts } from './filling.ts'

/** Enough to show several steps, and few enough not to surprise a site. */
const maxCalls = 3

/** What one answer of the demo model says and asks for. */
export interface Move {
  said: string[]
  calls: { name: string; arguments: string }[]
}

/**
 * The rule without a script. Candidates are the offered tools that the words of the owner or user name, or all if they
 * name none. It looks before it acts: of those that were not called yet and whose required inputs can be filled, it calls
 * the first one, in the order offered, whose name says that it reads, or else the first one; after three calls it calls
 * none.
 */
export function chooseTool(conversation: Conversation, tools: LanguageModelV4FunctionTool[]): Move {
  const called = new Set(conversation.calls.map(({ name }) => name))
  const open = called.size < maxCalls ? named(conversation, tools).filter(({ name }) => !called.has(name)) : []
  const facts = readFacts(conversation)
  for (const { name, inputSchema } of [...open.filter(reads), ...open.filter((tool) => !reads(tool))]) {
    const filled = fillArguments(inputSchema, facts)
    if (filled) return { said: [], calls: [{ name, arguments: JSON.stringify(filled) }] }
  }
  return { said: [], calls: [] }
}

/** By the words of its name, which may be `search_issues`, `issues.searchAll` or `SearchIssues`. */
const reads = ({ name }: LanguageModelV4FunctionTool): boolean =>
  name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .some((word) => readingWords.has(word))

const readingWords = new Set('find get list look lookup query read search show view'.split(' '))

function named({ instructions, words }: Conversation, tools: LanguageModelV4FunctionTool[]) {
  const written = `${instructions}\n${words}`.match(/\w(?:[\w.-]{0,98}\w)?/g) ?? []
  const spoken = new Set(written.map(providerSafe))
  const wanted = tools.filter(({ name }) => spokenNames(name).some((form) => spoken.has(form)))
  return wanted.length > 0 ? wanted : tools
}
