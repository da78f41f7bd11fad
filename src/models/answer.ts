import type { LanguageModelV4Content, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { readArguments } from './arguments.ts'
import { storable } from '../text.ts'
import { readCalls, type RequestedCall } from './requested-calls.ts'
import type { RawAnswer } from './collect-answer.ts'
import { noUsage, unusableAnswer } from './failures.ts'
import { answerEndOf, type Finish } from './finish-reason.ts'
import { estimatedUsage } from './stated-usage.ts'
import { readUsage, type Usage } from './usage.ts'
import { keepVerbatim } from './kept-parts.ts'

export interface Answer extends Usage {
  text: string
  finish: Finish
  /** The provider's own word for the end, if the adapter did not recognize it. */
  endWord?: string
  calls: RequestedCall[]
  /** Content to return unchanged, as JSON text; null if text and calls suffice. See `keepVerbatim`. */
  content: string | null
}

interface Request {
  by: string
  prompt: LanguageModelV4Prompt
  tools: { name: string }[]
  estimates?: boolean
}

/**
 * Reads a model's answer to a request. Only text, reasoning and tool calls count; the rest (files, sources, the
 * provider's own tools) is ignored. Throws MODEL_ERROR if the answer is marked as incomplete, or lacks its token usage.
 */
export function readAnswer({ content, finishReason, usage: stated }: RawAnswer, request: Request): Answer {
  const usage = usageOf(readUsage(stated), request, content)
  const end = answerEndOf(finishReason)
  if (end === 'broken') throw unusableAnswer(`ended early${wordOf(finishReason)}`, usage)
  if (!usage) throw noUsage()
  const own = content.filter((part) => part.type !== 'tool-call' || !part.providerExecuted)
  const whole = end === 'length' ? withoutCutCall(own) : own
  const calls = readCalls(whole, new Set(request.tools.map(({ name }) => name)), idsOf(request.prompt))
  // The content decides: an answer without calls does not wait for calls.
  const finish = end === 'tool-calls' && calls.length === 0 ? 'stop' : end
  const { unified, raw } = finishReason
  return {
    text: storable(whole.map((part) => (part.type === 'text' ? part.text : '')).join('')),
    finish,
    ...((unified === 'other' || finish !== unified) && raw && { endWord: storable(raw.slice(0, maxWord)) }),
    calls,
    content: keepVerbatim(whole, calls, request.by),
    ...usage,
  }
}

/** Written text counts even if the provider does not count it. */
function usageOf(stated: Usage | undefined, request: Request, content: LanguageModelV4Content[]): Usage | undefined {
  if (!stated && !request.estimates) return undefined
  const estimated = estimatedUsage(request, content)
  if (!stated) return estimated
  return stated.outputTokens === 0 ? { ...stated, outputTokens: estimated.outputTokens } : stated
}

/** Longer texts are not words. */
const maxWord = 64

const wordOf = ({ raw }: RawAnswer['finishReason']): string =>
  raw !== undefined && /^[\w-]{1,64}$/.test(raw) ? ` (${raw})` : ''

/** An answer at its limit may end inside a call. A call whose arguments have not started would run without any. */
function withoutCutCall(content: LanguageModelV4Content[]): LanguageModelV4Content[] {
  const last = content.at(-1)
  const isCut = last?.type === 'tool-call' && (last.input.trim() === '' || !readArguments(last.input))
  return isCut ? content.slice(0, -1) : content
}

const idsOf = (prompt: LanguageModelV4Prompt): Set<string> =>
  new Set(
    prompt.flatMap(({ role, content }) =>
      role === 'assistant' ? content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : [])) : [],
    ),
  )
