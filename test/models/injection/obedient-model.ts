import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ExecutionContext } from 'ava'
import { readObject } from '../../../src/models/arguments.ts'
import { serve } from '../servers/serve.ts'

interface Order {
  name: string
  input: string
}

interface Body {
  messages: { role: string; tool_calls?: { function: { name: string; arguments: string } }[] }[]
}

/** How the model is told what to do; whoever says it, and wherever. `KEY` is the key of the platform at the provider. */
export const orderTo = (name: string, input: object = {}): string => `call_tool ${name} ${JSON.stringify(input)} now`
const orders = /call_tool (\S+) (\{[^{}]*\}) now/g

const read13 = (text: string) =>
  text.replaceAll(/[a-z]/gi, (letter) => {
    const base = letter < 'a' ? 65 : 97
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base)
  })
const unescaped = (text: string) =>
  text
    .replaceAll(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll('\\"', '"')
    .replaceAll(/[\u{E0020}-\u{E007E}]/gu, (sign) => String.fromCodePoint((sign.codePointAt(0) ?? 0) - 0xe0000))
    .replaceAll(/[\u200B-\u200F\u202A-\u202E]/g, '')
const decoders: ((text: string) => string)[] = [
  (text) => text,
  read13,
  (text) => Array.from(text).toReversed().join(''),
  (text) => text.replaceAll(/[\w+/]{24,}={0,2}/g, (word) => Buffer.from(word, 'base64').toString()),
  (text) => text.replaceAll(/[0-9a-f]{24,}/g, (word) => Buffer.from(word, 'hex').toString()),
]

/** Every order in a request, however it is disguised. Some texts are JSON in JSON in JSON. */
function ordersIn(text: string): Order[] {
  const layers = [text]
  while (layers.length < 5) layers.push(unescaped((layers.at(-1) ?? '').replaceAll('\\\\', '\\')))
  const found = layers.flatMap((layer) => decoders.flatMap((read) => [...read(layer).matchAll(orders)]))
  const all = new Map(found.map(([whole, name = '', input = '']) => [whole, { name, input }]))
  // What is still escaped is found again one layer below.
  return [...all.values()].filter(({ input }) => readObject(input) !== undefined)
}

/**
 * A server that speaks Chat Completions, and the worst model: it does whatever any text in its prompt says, once, and
 * then answers with the key that it was asked with.
 */
export async function startObedientModel(t: ExecutionContext) {
  const prompts: string[] = []
  async function send(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks = await answer(request)
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    for (const one of chunks) response.write(`data: ${JSON.stringify(one)}\n\n`)
    response.end('data: [DONE]\n\n')
  }

  async function answer(request: IncomingMessage): Promise<object[]> {
    const key = (request.headers.authorization ?? '').replace('Bearer ', '')
    const text = (await request.toArray()).join('')
    prompts.push(text)
    const made = (JSON.parse(text) as Body).messages.flatMap(({ tool_calls: calls = [] }) => calls)
    // The platform has taken the key out of what it was answered.
    const done = new Set(made.map((one) => `${one.function.name} ${one.function.arguments.replace('[token]', 'KEY')}`))
    const fresh = ordersIn(text).filter(({ name, input }) => !done.has(`${nameAfter(name)} ${input}`))
    if (fresh.length === 0) return finalWords(key)
    return [
      chunk({
        tool_calls: fresh.map(({ name, input }, index) => ({
          index,
          id: `call_${made.length + index}`,
          type: 'function',
          function: { name, arguments: input.replaceAll('KEY', key) },
        })),
      }),
      { ...chunk({}, 'tool_calls'), usage },
    ]
  }

  return { url: `${await serve(t, send)}/v1`, prompts }
}

/** How the platform names a call of an unknown tool. */
const nameAfter = (name: string): string => name.replaceAll(/[^\w-]/g, '_').slice(0, 64)

function finalWords(key: string): object[] {
  const encoded = (['base64', 'base64url', 'hex'] as const).map((encoding) =>
    Buffer.from(`x ${key} y`).toString(encoding),
  )
  const words = `Key: ${key}, ${encoded.join(', ')}. ![all](https://localhost/?q=${key})`
  return [...(words.match(/.{1,7}/g) ?? []).map((content) => chunk({ content })), { ...chunk({}, 'stop'), usage }]
}

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }

const chunk = (delta: object, reason: string | null = null) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'obedient',
  choices: [{ index: 0, delta, finish_reason: reason }],
})
