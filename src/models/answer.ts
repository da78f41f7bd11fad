import type { LanguageModelV4GenerateResult } from '@ai-sdk/provider'
import type { ModelMessage } from 'ai'
import { readCalls, storable, type RequestedCall } from './calls.ts'
import { unusableAnswer } from './failures.ts'

export interface Answer {
  text: string
  finish: 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'other'
  calls: RequestedCall[]
  inputTokens: number
  outputTokens: number
}

/**
 * Reads a model's answer to a request. Only text and tool calls count; the rest (files, sources, the provider's own
 * tools) is ignored. Throws MODEL_ERROR if the answer is marked as incomplete, or lacks its token usage.
 */
export function readAnswer(
  { content, finishReason, usage }: LanguageModelV4GenerateResult,
  request: { messages: ModelMessage[]; tools: { name: string }[] },
): Answer {
  const { unified } = finishReason
  if (unified === 'error' || unified === 'interrupted') throw unusableAnswer('ended early')
  const own = content.filter((part) => part.type !== 'tool-call' || !part.providerExecuted)
  return {
    text: storable(own.map((part) => (part.type === 'text' ? part.text : '')).join('')),
    finish: unified,
    calls: readCalls(own, new Set(request.tools.map(({ name }) => name)), idsOf(request.messages)),
    inputTokens: tokens(usage?.inputTokens?.total),
    outputTokens: tokens(usage?.outputTokens?.total),
  }
}

/** A step is charged by its tokens, so an answer without them is refused. */
function tokens(count: number | undefined): number {
  if (!Number.isSafeInteger(count) || Number(count) < 0) throw unusableAnswer('does not state its token usage')
  return Number(count)
}

const idsOf = (messages: ModelMessage[]): Set<string> =>
  new Set(
    messages.flatMap(({ content }) =>
      typeof content === 'string'
        ? []
        : content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : [])),
    ),
  )
