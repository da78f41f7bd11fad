import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { ExecutionContext } from 'ava'
import { eventually } from '../helpers/eventually.ts'
import { serve } from './servers/serve.ts'

/** A model call under way at the talker. */
export interface TalkersCall {
  say(words: string): void
  /** Calls a tool, and says no more. */
  use(tool: string, given: object): void
  /** What the model was asked with. */
  asked: string
  /** The answer is complete. */
  finish: () => void
  /** The connection is lost. */
  breakOff(): void
}

/** A server that speaks Chat Completions, and whose answers are said by the test, piece by piece. */
export async function startTalker(t: Pick<ExecutionContext, 'teardown'>) {
  const calls = new Map<string, TalkersCall[]>()
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = await text(request)
    const { model } = JSON.parse(asked) as { model: string }
    calls.set(model, [...(calls.get(model) ?? []), talk(response, asked)])
  }
  const url = await serve(t, take)
  return {
    provider: (ids: string[]) => ({
      name: 'talker',
      kind: 'openai-compatible',
      baseUrl: `${url}/v1`,
      models: ids.map((id) => ({ id, price: { input: 1, output: 1 } })),
    }),
    /** The model's call with this number, from 1, once it has come. */
    call: (model: string, number = 1) =>
      eventually(60, `call ${number} of ${model} comes`, () => calls.get(model)?.[number - 1]),
  }
}

export type Talker = Awaited<ReturnType<typeof startTalker>>

function talk(response: ServerResponse, asked: string): TalkersCall {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (part: object) => {
    const chunk = { id: 'answer', object: 'chat.completion.chunk', created: 1, model: 'talker', ...part }
    response.write(`data: ${JSON.stringify(chunk)}\n\n`)
  }
  const choose = (delta: object, reason: string | null) =>
    send({ choices: [{ index: 0, delta, finish_reason: reason }] })
  choose({ role: 'assistant' }, null)
  const end = (reason: string) => {
    choose({}, reason)
    send({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 } })
    response.end('data: [DONE]\n\n')
  }
  return {
    asked,
    say: (words) => choose({ content: words }, null),
    use: (tool, given) => {
      const call = { name: tool, arguments: JSON.stringify(given) }
      choose({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: call }] }, null)
      end('tool_calls')
    },
    finish: () => end('stop'),
    breakOff: () => void response.destroy(),
  }
}
