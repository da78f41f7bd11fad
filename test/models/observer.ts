import type { ExecutionContext } from 'ava'
import { startChatServer } from '../helpers/chat-server.ts'

/** The words of a message to a model. */
const textIn = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : ((content as { text?: string }[] | null) ?? []).map(({ text = '' }) => text).join(' ')

/**
 * A provider whose model `observant` says which number its answer has, and what it sees of the conversation; of its own
 * answers, the numbers.
 */
export async function startObserver(t: Pick<ExecutionContext, 'teardown'>) {
  let answers = 0
  const observer = await startChatServer(({ messages }) => {
    const said = messages.filter(({ role }) => role !== 'system').map(({ content }) => textIn(content))
    return { text: `#${(answers += 1)} saw ${said.map((text) => text.split(' saw ')[0]).join(', ')}.` }
  })
  t.teardown(observer.close)
  const models = [{ id: 'observant', price: { input: 1, output: 1 } }]
  return { name: 'observer', kind: 'openai-compatible', baseUrl: observer.url, models }
}
