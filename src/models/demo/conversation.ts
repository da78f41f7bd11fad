import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider'
import { parse } from '../arguments.ts'
import { splitFenced } from '../fence.ts'
import {
  chatSentence,
  correctionSentences,
  leftOutIn,
  outcomeSentences,
  triggerSentences,
  withoutRules,
  withoutSentences,
  type OutcomeStatus,
} from '../prompt-format.ts'

export interface MadeCall {
  name: string
  status: OutcomeStatus
  text: string
}

/** The demo model's view of a prompt: the words of each side, and the events since the last user message. */
export interface Conversation {
  instructions: string
  /** The last user message outside all fences. The platform's corrections are not user messages. */
  words: string
  /** Whether this is a chat. Then the words count as the owner's too. */
  isChat: boolean
  payload: string | undefined
  schema: unknown
  missing: string | undefined
  outputSchema: unknown
  trigger: string
  /** The model's answers since the last user message, shown or omitted. */
  turns: number
  leftOut: number
  calls: MadeCall[]
}

/** Reads a prompt made by buildPrompt, or by a chat. Fenced text never counts as anybody's words. */
export function readConversation(prompt: LanguageModelV4Prompt): Conversation {
  const asked = prompt.findLastIndex((message) => message.role === 'user' && !isCorrection(message))
  const since = prompt.slice(asked + 1)
  const { words, blocks } = splitFenced(textOf(prompt[asked]))
  const leftOut = leftOutIn(words)
  return {
    instructions: prompt.map((message) => (message.role === 'system' ? withoutRules(message.content) : '')).join('\n'),
    words: withoutSentences(words),
    isChat: prompt.some(({ role, content }) => role === 'system' && content.startsWith(chatSentence)),
    payload: blocks.find(({ kind }) => kind === 'untrusted payload')?.text,
    schema: parse(blocks.find(({ kind }) => kind === 'schema')?.text ?? ''),
    missing: blocks.find(({ kind }) => kind === 'untrusted sites')?.text,
    outputSchema: parse(blocks.find(({ kind }) => kind === 'output schema')?.text ?? ''),
    trigger: Object.values(triggerSentences).find((sentence) => words.startsWith(sentence)) ?? 'I received a message.',
    turns: leftOut + since.filter(({ role }) => role === 'assistant').length,
    leftOut,
    calls: since.flatMap((message) => (message.role === 'tool' ? message.content : [])).flatMap(madeCall),
  }
}

const corrections: string[] = Object.values(correctionSentences)

const isCorrection = (message: LanguageModelV4Message): boolean =>
  corrections.includes(textOf(message).split('\n', 1)[0] ?? '')

function textOf(message: LanguageModelV4Message | undefined): string {
  if (message?.role !== 'user') return ''
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
}

function madeCall(part: { type: string } | LanguageModelV4ToolResultPart): MadeCall[] {
  if (!('output' in part)) return []
  const { toolName: name, output } = part
  const written = output.type === 'text' || output.type === 'error-text' ? output.value : JSON.stringify(output)
  const text = splitFenced(written).blocks[0]?.text ?? written
  return [{ name, text, status: statusOf(written) ?? (output.type.startsWith('error') ? 'failed' : 'succeeded') }]
}

/** Only the first line counts: the platform wrote it, and the site wrote the rest. */
function statusOf(written: string): OutcomeStatus | undefined {
  const statuses: OutcomeStatus[] = ['succeeded', 'failed', 'unknown']
  return statuses.find((status) => written.startsWith(outcomeSentences[status]))
}
