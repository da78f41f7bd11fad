import { createHash } from 'node:crypto'
import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { ProviderKind } from '../config/models-config.ts'

/** Mistral refuses every other id, including those of other providers' models. */
const ofMistral = /^[a-zA-Z0-9]{9}$/

/** Replaces ids of tool calls that the provider refuses. The same id always gets the same replacement. */
export function withCallIds(kind: ProviderKind, prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  if (kind !== 'mistral') return prompt
  return prompt.map((message) => {
    if (message.role === 'assistant') return { ...message, content: message.content.map(renamed) }
    if (message.role === 'tool') return { ...message, content: message.content.map(renamed) }
    return message
  })
}

const renamed = <T extends object>(part: T): T =>
  'toolCallId' in part && typeof part.toolCallId === 'string' ? { ...part, toolCallId: idOf(part.toolCallId) } : part

const idOf = (id: string): string =>
  ofMistral.test(id) ? id : createHash('sha256').update(id).digest('base64').replaceAll(/[+/]/g, '0').slice(0, 9)
