import type { ExecutionContext } from 'ava'
import type { ProviderKind } from '../../../../src/config/models-config.ts'
import { createLogger } from '../../../../src/logger.ts'
import { ModelError } from '../../../../src/models/failures.ts'
import { judgeAnswer } from '../../../../src/loop/judge.ts'
import { createModels, type StepResult } from '../../../../src/models/models.ts'
import { loadAdapter } from '../../../../src/models/providers/adapters.ts'
import { readableAnswer } from '../../../../src/models/providers/readable-answer.ts'

/** How a model is asked: a streamed answer of Chat Completions with its usage, unless given. */
export interface Asked {
  kind?: ProviderKind
  stream?: boolean
  estimateUsage?: boolean
}

const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Find it.' }] }]
const tools = [{ name: 'find', description: 'Finds.', inputSchema: { type: 'object' } }]

/** A step whose provider answers so: all that a run does with an answer, except for the network. */
export async function stepOf(respond: () => Response | Promise<Response>, asked: Asked): Promise<StepResult> {
  const { kind = 'openai-compatible', stream = true, estimateUsage = false } = asked
  const providers = [{ name: 'one', kind, baseUrl: 'http://one.example', apiKey: 'key', concurrency: 1 }]
  const models = createModels({
    config: {
      models: {
        default: 'm',
        providers,
        models: [{ name: 'm', id: 'm', provider: 'one', stream, estimateUsage }],
        timeoutSeconds: 60,
        demoDirectives: false,
      },
    },
    logger: createLogger('silent', 'test'),
    load: (context) =>
      loadAdapter({
        ...context,
        fetch: async () => {
          const answer = await respond()
          return answer.ok ? readableAnswer(answer, { kind, stream }) : answer
        },
      }),
  })
  return models.step({ model: 'm', prompt, tools, cacheKey: 'key', signal: new AbortController().signal })
}

/** What comes of an answer, in a line: its calls, its words, what is wrong with it, or a failure that may pass or not. */
export async function outcomeOf(respond: () => Response | Promise<Response>, asked: Asked = {}): Promise<string> {
  try {
    const { calls, text, ...answer } = await stepOf(respond, asked)
    if (calls.length > 0) {
      const areOwn = new Set(calls.map(({ id }) => id)).size === calls.length
      return [
        ...calls.map((call) => `${call.problem ? 'unreadable' : call.name} ${call.arguments}`),
        ...(areOwn ? [] : ['of one id']),
      ].join(', ')
    }
    const verdict = judgeAnswer({ calls, text, ...answer })
    return verdict ? `${verdict.outcome}: ${text}` : text
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    const used = error.usage ? ` [${error.usage.inputTokens}]` : ''
    return `${error.retryable ? 'again' : 'never'}: ${error.message}${used}`
  }
}

/** An answer that arrives in pieces of so many bytes. */
export function inPieces(text: string, length: number, init: ResponseInit = {}): Response {
  const bytes = Buffer.from(text)
  const count = Math.ceil(bytes.length / length)
  const pieces = Array.from(
    { length: count },
    (_, index) => new Uint8Array(bytes.subarray(index * length, (index + 1) * length)),
  )
  return new Response(ReadableStream.from(pieces), init)
}

/** A name, an answer in one piece, one that is streamed, and what comes of each. */
export type Row = [name: string, forms: { whole?: string; stream?: string }, outcome: string | RegExp]

/** Tries each form of each row, in pieces that cut characters and events. */
export async function tryRows(t: ExecutionContext, rows: Row[], asked: Asked = {}): Promise<void> {
  for (const [name, forms, expected] of rows) {
    for (const form of ['whole', 'stream'] as const) {
      const text = forms[form]
      if (text === undefined) continue
      const outcome = await outcomeOf(() => inPieces(text, 11), { ...asked, stream: form === 'stream' })
      const title = `${name} (${form})`
      if (typeof expected === 'string') t.is(outcome, expected, title)
      else t.regex(outcome, expected, title)
    }
  }
}
