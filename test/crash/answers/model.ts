import type { ServerResponse } from 'node:http'
import type { ExecutionContext } from 'ava'
import { startFailingProvider, type Act } from '../../models/failing-provider.ts'
import { modelsEnvironment } from '../../models/stage.ts'
import { chat, framed } from '../../models/wire.ts'

/** Where the model stops, the first times that it comes there: before a step, or after the first half of its words. */
export interface Stop {
  step: number
  after: 'nothing' | 'words'
  /** Once by default. */
  times?: number
}

/** What the model is asked for. */
export interface Asked {
  /** The name of the answer. */
  name: string
  step: number
  /** All that it was asked with, as JSON. */
  text: string
}

interface Part {
  tool: string
  stop: Stop | undefined
  reached: PromiseWithResolvers<void>
  /** What goes on once the test says so, oldest first. */
  stopped: (() => void)[]
}

/** The words of a step. Asked again, a model says something else. */
const halves = (step: number, time: number): [string, string] => [`Step ${step}, try ${time}: `, `all of ${step}.`]

/**
 * A model whose answers have two steps, with a call of a tool between them. It knows an answer by the name in its message,
 * and the step by what it is shown, so that it does not matter who asks how often.
 */
export async function startModel(t: ExecutionContext) {
  const provider = await startFailingProvider(t)
  const parts = new Map<string, Part>()
  const asked: Asked[] = []

  const act: Act = async (response, { body }) => {
    const { name, step } = placeOf(body['messages'] as Message[])
    asked.push({ name, step, text: JSON.stringify(body) })
    const part = parts.get(name)
    const time = asked.filter((one) => one.name === name && one.step === step).length
    const [first, rest] = halves(step, time)
    const stop = async (after: Stop['after']): Promise<void> => {
      if (part?.stop?.step !== step || part.stop.after !== after || time > (part.stop.times ?? 1)) return
      part.reached.resolve()
      await new Promise<void>((goOn) => part.stopped.push(goOn))
    }
    await stop('nothing')
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    write(response, chat.begin(first))
    await stop('words')
    write(response, chat.begin(rest))
    write(response, part && step === 1 ? callOf(part.tool, name) : [...chat.end(), ...chat.usage(), ...chat.done()])
    response.end()
  }
  provider.play('scripted', [act])
  const models = [{ id: 'scripted', price: { input: 1, output: 2 } }]
  const described = { name: 'scripted', kind: 'openai-compatible', baseUrl: provider.url, models }
  return {
    environment: modelsEnvironment([described], 'scripted'),

    /** Says what the model is to do for an answer. It says one step without calls where nothing was said. */
    expect(name: string, tool: string, stop?: Stop) {
      const [reached, stopped] = [Promise.withResolvers<void>(), [] as Part['stopped']]
      parts.set(name, { tool, stop, reached, stopped })
      return { reached: reached.promise, release: () => stopped.shift()?.() }
    },

    askedFor: (name: string) => asked.filter((one) => one.name === name),
  }
}

function write(response: ServerResponse, events: (object | string)[]): void {
  for (const event of events) response.write(framed(event))
}

const callOf = (tool: string, name: string) =>
  chat.asking([{ id: 'call_1', name: tool, arguments: JSON.stringify({ name }) }])

interface Message {
  role: string
  content: string | { text?: string }[] | null
}

/** The words that a message to the model begins with. */
export const messageOf = (name: string): string => `answer:${name}`

/** Which answer the model is asked for, and which step of it. */
function placeOf(messages: Message[]): { name: string; step: number } {
  const last = messages.findLastIndex(({ role }) => role === 'user')
  // Messages of a user without an answer between them come as one.
  const name = [...JSON.stringify(messages[last]).matchAll(/answer:([\w-]+)/g)].at(-1)?.[1] ?? ''
  return { name, step: 1 + messages.slice(last).filter(({ role }) => role === 'assistant').length }
}
