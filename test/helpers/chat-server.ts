import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as bodyOf } from 'node:stream/consumers'

/** A Chat Completions request, as far as tests read it. */
export interface ChatRequest {
  model: string
  messages: { role: string; content: unknown; tool_calls?: { id: string; function: { arguments: string } }[] }[]
  tools?: { function: { name: string } }[]
}

/** The server's answer: text, calls, or a failure. */
export interface ChatAnswer {
  text?: string
  /** The default id contains the number of the answer. */
  calls?: { id?: string; name: string; arguments: string }[]
  /** Tokens of the prompt; by default a quarter of the request's bytes. */
  inputTokens?: number
  /** An HTTP status instead of an answer. */
  status?: number
}

/** Makes the answer from the request and its size. */
type Answerer = (request: ChatRequest, bytes: number) => ChatAnswer

/** The times when a request had arrived and when its answer had been written, by `performance.now()`. */
interface Exchange {
  arrived: number
  answered: number
}

/** A small Chat Completions server on loopback that streams. */
export async function startChatServer(answerer: Answerer) {
  const exchanges: Exchange[] = []
  const texts: string[] = []
  const server = createServer((request, response) => void handle(request, response))

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await bodyOf(request)
    const arrived = performance.now()
    texts.push(text)
    const answer = answerer(JSON.parse(text) as ChatRequest, Buffer.byteLength(text))
    respond(response, { inputTokens: Math.ceil(text.length / 4), ...answer }, exchanges.length)
    exchanges.push({ arrived, answered: performance.now() })
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    exchanges,
    /** The raw bodies of the requests. */
    texts,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function respond(response: ServerResponse, answer: ChatAnswer, number: number): void {
  if (answer.status !== undefined) {
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { message: 'told to fail', type: 'test', code: null } }))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const events = chunksOf(answer, number).map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
  response.end(`${events.join('')}data: [DONE]\n\n`)
}

function chunksOf({ text = '', calls = [], inputTokens = 0 }: ChatAnswer, number: number): object[] {
  const chunk = (more: object) => ({
    id: `chat-${number}`,
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    ...more,
  })
  const choice = (delta: object, reason: string | null = null) =>
    chunk({ choices: [{ index: 0, delta, finish_reason: reason }] })
  const called = calls.map(({ id, name, arguments: given }, index) => ({
    index,
    id: id ?? `call_${number}_${index}`,
    type: 'function',
    function: { name, arguments: given },
  }))
  return [
    choice({ role: 'assistant', content: text }),
    ...(called.length > 0 ? [choice({ tool_calls: called })] : []),
    choice({}, called.length > 0 ? 'tool_calls' : 'stop'),
    chunk({
      choices: [],
      usage: { prompt_tokens: inputTokens, completion_tokens: 20, total_tokens: inputTokens + 20 },
    }),
  ]
}
