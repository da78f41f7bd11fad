import type { LanguageModelV4Prompt } from '@ai-sdk/provider'

/**
 * The prompt for a server that requires reasoning in messages with calls, such as DeepSeek's. Missing reasoning becomes
 * an empty text, which the adapter would omit.
 */
export const withReasoning = (prompt: LanguageModelV4Prompt): LanguageModelV4Prompt =>
  prompt.map((message) => {
    if (message.role !== 'assistant') return message
    const hasCalls = message.content.some(({ type }) => type === 'tool-call')
    const hasReasoning = message.content.some((part) => part.type === 'reasoning' && part.text !== '')
    if (!hasCalls || hasReasoning) return message
    const openaiCompatible = { ...message.providerOptions?.['openaiCompatible'], reasoning_content: '' }
    return { ...message, providerOptions: { ...message.providerOptions, openaiCompatible } }
  })
