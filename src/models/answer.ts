import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { readCalls, storable, type RequestedCall } from './calls.ts'
import type { RawAnswer } from './collect.ts'
import { unusableAnswer } from './failures.ts'
import { readUsage, type Usage } from './usage.ts'
import { keepVerbatim } from './verbatim.ts'

export interface Answer extends Usage {
  text: string
  finish: 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'other'
  calls: RequestedCall[]
  /** What has to be sent back unchanged, as JSON text; null if text and calls say it all. See `keepVerbatim`. */
  content: string | null
}

/**
 * Reads a model's answer to a request. Only text, reasoning and tool calls count; the rest (files, sources, the
 * provider's own tools) is ignored. Throws MODEL_ERROR if the answer is marked as incomplete, or lacks its token usage.
 */
export function readAnswer(
  { content, finishReason, usage: stated }: RawAnswer,
  request: { by: string; prompt: LanguageModelV4Prompt; tools: { name: string }[] },
): Answer {
  const { unified, raw } = finishReason
  const usage = readUsage(stated)
  // Adapters begin with `other`; it is still there if the provider has given no reason.
  const hasNoEnd = unified === 'interrupted' || (unified === 'other' && raw === undefined)
  if (unified === 'error' || hasNoEnd) throw unusableAnswer('ended early', usage)
  if (!usage) throw unusableAnswer('does not state its token usage')
  const own = content.filter((part) => part.type !== 'tool-call' || !part.providerExecuted)
  const calls = readCalls(own, new Set(request.tools.map(({ name }) => name)), idsOf(request.prompt))
  return {
    text: storable(own.map((part) => (part.type === 'text' ? part.text : '')).join('')),
    finish: unified,
    calls,
    content: keepVerbatim(own, calls, request.by),
    ...usage,
  }
}

const idsOf = (prompt: LanguageModelV4Prompt): Set<string> =>
  new Set(
    prompt.flatMap(({ role, content }) =>
      role === 'assistant' ? content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : [])) : [],
    ),
  )
