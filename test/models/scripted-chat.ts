import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import type { AddressInfo } from 'node:net'
import type { ExecutionContext } from 'ava'

/** A request of Chat Completions, as far as tests look at it. */
export interface ChatRequest {
  messages: { role: string; content: string | null }[]
  tools?: unknown[]
  response_format?: unknown
}

/** What a model says, and why it ends there if not because it has finished. */
export type Said = string | { content: string; finish: string }

/** A server that speaks Chat Completions without streams, answers as told, and keeps what it was asked. */
export async function startChat(t: ExecutionContext, answer: (request: ChatRequest) => Promise<Said>) {
  const requests: ChatRequest[] = []

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = (await json(request)) as ChatRequest
    requests.push(asked)
    const said = await answer(asked)
    const { content, finish } = typeof said === 'string' ? { content: said, finish: 'stop' } : said
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
    const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: finish }]
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ id: 'one', object: 'chat.completion', created: 0, model: 'm', choices, usage }))
  }

  const server = createServer((request, response) => void respond(request, response))
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening))
  t.teardown(() => server.close())
  t.teardown(() => server.closeAllConnections())
  return { requests, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` }
}

/** A provider whose one model has the same name. */
export const chatProvider = (name: string, baseUrl: string, more: Record<string, unknown> = {}) => ({
  name,
  kind: 'openai-compatible',
  baseUrl,
  models: [{ id: name, stream: false, price: { input: 1, output: 1 }, ...more }],
})
