import { isDeepStrictEqual } from 'node:util'
import type { LanguageModelV4Message, LanguageModelV4ToolResultPart } from '@ai-sdk/provider'
import { readArguments } from './arguments.ts'
import { fence } from './fence.ts'
import {
  correctionSentences,
  missingReasons,
  outcomeSentences,
  problemsSentence,
  shortenedSentence,
  type OutcomeStatus,
  type StepProblem,
} from './prompt-format.ts'
import { keptParts, type KeptPart } from './kept-parts.ts'
import { beginningOf, firstBytes } from '../text.ts'

export interface TranscriptCall {
  id: string
  /** The provider-safe name. */
  name: string
  arguments: string
  /** `bytes` is the length of the whole result if the text is only its beginning. */
  outcome: { status: OutcomeStatus; text: string; bytes?: number | undefined; shortened?: boolean }
}

export interface TranscriptStep {
  text: string
  content?: string | null | undefined
  calls: TranscriptCall[]
  /** Why the answer was rejected, with the details for the model. */
  problem?: { kind: StepProblem; detail: string | null } | undefined
}

export interface MissingSite {
  name: string
  origin: string
  reason: keyof typeof missingReasons
  tools?: string[] | undefined
}

export interface Shown extends Reader {
  resultBytes: number
}

export interface Reader {
  /** Provider kind and model. Content for another one is not shown to it. */
  by: string
  /** Whether its adapter sends a call's arguments as text. Otherwise they are parsed. */
  textArguments: boolean
}

/** The longest whole result for a model, in bytes of UTF-8. The record keeps everything. */
export const maxResultBytes = 32 * 1024
/** Enough to show a model the fault of its arguments. */
const maxInvalidCharacters = 1000

export const sitesText = (sites: MissingSite[]): string =>
  sites
    .map(({ name, origin, reason, tools }) => {
      const named = tools ? `: ${tools.join(', ')}` : ''
      return `${JSON.stringify(name)} (${origin}): ${missingReasons[reason]}${named}`
    })
    .join('\n')

const made = new WeakMap<TranscriptStep, { reader: Shown; messages: LanguageModelV4Message[] }>()

/** The messages of a step. The same step and reader return the same object, because it is measured and sent. */
export function stepMessages(step: TranscriptStep, reader: Shown): LanguageModelV4Message[] {
  const known = made.get(step)
  if (known && isDeepStrictEqual(known.reader, reader)) return known.messages
  const messages = buildMessages(step, reader)
  made.set(step, { reader, messages })
  return messages
}

/** Omits a step without text and calls: providers reject empty messages. */
function buildMessages(step: TranscriptStep, reader: Shown): LanguageModelV4Message[] {
  const { calls, problem } = step
  const messages: LanguageModelV4Message[] = [
    { role: 'assistant', content: answerParts(step, reader) },
    { role: 'tool', content: calls.map((call) => resultPart(call, reader)) },
  ]
  const correction = problem
    ? [{ role: 'user' as const, content: [{ type: 'text' as const, text: correctionText(problem) }] }]
    : []
  return [...messages.filter(({ content }) => content.length > 0), ...correction]
}

/** The details name members of the answer, which may be a stranger's words. */
const correctionText = ({ kind, detail }: NonNullable<TranscriptStep['problem']>): string =>
  [correctionSentences[kind], detail && `${problemsSentence}\n${fence('untrusted problems', detail)}`]
    .filter(Boolean)
    .join('\n')

type AssistantParts = Extract<LanguageModelV4Message, { role: 'assistant' }>['content']

/**
 * The answer as its provider gave it; for another provider, only the common parts. Providers refuse reasoning without a
 * result, as in an answer that was cut off while the model was thinking.
 */
function answerParts({ text, content, calls }: TranscriptStep, reader: Reader): AssistantParts {
  if (text.trim() === '' && calls.length === 0) return []
  const kept = keptParts(content, reader.by) ?? [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...calls.map(({ id }) => ({ type: 'tool-call' as const, id })),
  ]
  const meaningful = kept.filter((part) => !saysNothing(part))
  const end = meaningful.findLastIndex(({ type }) => type !== 'reasoning') + 1
  return meaningful.slice(0, end).flatMap((part) => answerPart(part, calls, reader))
}

/** Providers refuse blank text, but an empty one may carry metadata. */
const saysNothing = (part: KeptPart): boolean => part.type === 'text' && part.text.trim() === '' && !part.metadata

function answerPart(part: KeptPart, calls: TranscriptCall[], reader: Reader): AssistantParts {
  const options = part.metadata ? { providerOptions: part.metadata } : {}
  if (part.type === 'tool-call') {
    const call = calls.find(({ id }) => id === part.id)
    return call ? [{ ...callPart(call, reader), ...options }] : []
  }
  if (part.type === 'custom') return [{ type: 'custom', kind: part.kind, ...options }]
  return [{ type: part.type, text: part.text, ...options }]
}

/** Providers require an object, so other arguments are wrapped in one. */
function callPart({ id, name, arguments: text }: TranscriptCall, { textArguments }: Reader) {
  const read = readArguments(text)
  const input = read ?? { unreadableArguments: beginningOf(text, maxInvalidCharacters) }
  // Parsing would round long numbers.
  const asText = textArguments && read && !refusedAsText.test(text)
  return { type: 'tool-call' as const, toolCallId: id, toolName: name, input: asText ? text : input }
}

/** Names, with or without escaped letters, that adapters treat as an attack. They would quote the whole text again. */
const refusedAsText = /__proto__|constructor|\\u00[4-7]/

function resultPart({ id, name, outcome }: TranscriptCall, { resultBytes }: Shown): LanguageModelV4ToolResultPart {
  const type = outcome.status === 'succeeded' ? ('text' as const) : ('error-text' as const)
  return {
    type: 'tool-result',
    toolCallId: id,
    toolName: name,
    output: { type, value: resultText(outcome, resultBytes) },
  }
}

function resultText({ status, text: whole, bytes, shortened }: TranscriptCall['outcome'], most: number): string {
  const { text, note } = shortened ? { text: whole, note: shortenedSentence } : cut(whole, most, bytes)
  return [outcomeSentences[status], note, fence('untrusted result', text)].filter(Boolean).join('\n')
}

function cut(text: string, most: number, total?: number): { text: string; note: string } {
  const bytes = Buffer.byteLength(text)
  if (bytes <= most) return { text, note: '' }
  const first = firstBytes(text, most)
  const note = `The result is ${total ?? bytes} bytes long. Only its first ${first.length} bytes follow.`
  return { text: first.toString(), note }
}
