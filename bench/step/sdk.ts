import { setImmediate as turn } from 'node:timers/promises'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { jsonSchema, streamText, type ToolSet } from 'ai'
import type { startChatServer } from '../../test/helpers/chat-server.ts'
import { timed, type Timed } from './steps.ts'

/** The reference: the AI SDK, called directly with the same tool and a short prompt. It records nothing. */
export function openSdk(provider: Awaited<ReturnType<typeof startChatServer>>) {
  const openAi = createOpenAICompatible({ name: 'bench', baseURL: provider.url, includeUsage: true })
  const inputSchema = jsonSchema({ type: 'object', properties: { page: { type: 'integer' } }, required: ['page'] })
  const tools = { read_page: { description: 'Reads a page.', inputSchema } } as ToolSet

  async function ask(): Promise<void> {
    const { usage } = streamText({
      model: openAi.chatModel('bench-model'),
      prompt: 'Read all pages.',
      tools,
      maxRetries: 0,
    })
    await usage
  }

  return {
    async measure(count: number): Promise<Timed[]> {
      const times: Timed[] = []
      for (let number = 0; number < count; number += 1) {
        times.push(await timed(provider, ask))
        await turn()
      }
      return times
    },
  }
}
