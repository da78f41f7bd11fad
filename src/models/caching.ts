import type { LanguageModelV4FunctionTool, LanguageModelV4Prompt, SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { ProviderKind } from '../config/models-config.ts'

/**
 * How a provider is told what to cache. Our other providers cache repeated beginnings automatically. The Bedrock
 * adapter puts no mark on tools; the mark on the instructions covers them.
 */
const marks: Partial<Record<ProviderKind, { message: SharedV4ProviderOptions; tool?: SharedV4ProviderOptions }>> = {
  anthropic: {
    message: { anthropic: { cacheControl: { type: 'ephemeral' } } },
    tool: { anthropic: { cacheControl: { type: 'ephemeral' } } },
  },
  'amazon-bedrock': { message: { bedrock: { cachePoint: { type: 'default' } } } },
}

/** Bedrock refuses marks for models without cache support. Claude supports it since 3.7, and few others do. */
const bedrockTakesMarks = /anthropic\.claude-(?!v\d|instant|3-(?!7))/

type Message = LanguageModelV4Prompt[number]

/**
 * Marks the ends of the parts that stay the same from step to step: the tools, the instructions, all messages but the
 * last exchange, and all messages, with which the next step begins. Providers allow four marks.
 */
export function markForCaching(
  { kind, id }: { kind: ProviderKind; id: string },
  prompt: LanguageModelV4Prompt,
  tools: LanguageModelV4FunctionTool[],
): { prompt: LanguageModelV4Prompt; tools: LanguageModelV4FunctionTool[] } {
  const mark = kind === 'amazon-bedrock' && !bedrockTakesMarks.test(id) ? undefined : marks[kind]
  if (!mark) return { prompt, tools }
  const system = prompt.findIndex(({ role }) => role === 'system')
  const last = prompt.length - 1
  const before = prompt.findLastIndex(({ role }, index) => index < last && role !== 'assistant' && role !== 'system')
  const marked = new Set([system, before, last])
  return {
    prompt: prompt.map((message, index) => (marked.has(index) ? withOptions(message, mark.message) : message)),
    tools: tools.map((tool, index) =>
      mark.tool && index === tools.length - 1 ? { ...tool, providerOptions: mark.tool } : tool,
    ),
  }
}

const withOptions = (message: Message, options: SharedV4ProviderOptions): Message => ({
  ...message,
  providerOptions: { ...message.providerOptions, ...options },
})
