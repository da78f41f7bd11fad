import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { ExecutionContext } from 'ava'
import { serve } from './servers/serve.ts'
import { answers, framed, wholeAnswers } from './wire.ts'

/** What a provider does with one request. */
export type Act = (response: ServerResponse, request: ProviderRequest) => void | Promise<void>

/** A request as it came; the test is told by the model that is asked. */
interface ProviderRequest {
  model: string
  at: number
  body: Record<string, unknown>
}

/** The platform's own question, by which it finds out whether a model fails everybody. */
export const isProbe = (body: unknown): boolean => JSON.stringify(body).includes('Answer with the word')

function answerProbe(url: string, body: Record<string, unknown>): Act {
  const protocol = url.endsWith('/messages') ? 'anthropic' : url.endsWith('/responses') ? 'responses' : 'chat'
  return body['stream'] === true ? events(answers[protocol]()) : whole(wholeAnswers[protocol]())
}

/**
 * A server in the place of an AI provider that does what a script says, one line for each request; the last line is
 * repeated. Each model has a script of its own, so one server does for many tests. A model that is "out" fails everybody;
 * another one fails the prompts of its script alone, and answers the platform's own question.
 */
export async function startFailingProvider(t: Pick<ExecutionContext, 'teardown'>) {
  const scripts = new Map<string, Act[]>()
  const requests: ProviderRequest[] = []
  const probes: ProviderRequest[] = []
  const out = new Set<string>()

  async function answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await text(message)) as Record<string, unknown>
    const request = { model: String(body['model']), at: Date.now(), body }
    const script = scripts.get(request.model) ?? []
    if (isProbe(body)) {
      probes.push(request)
      const act = out.has(request.model) ? script[0] : answerProbe(message.url ?? '', body)
      return act?.(response, request)
    }
    requests.push(request)
    const act = script.length > 1 ? script.shift() : script[0]
    if (act) await act(response, request)
    else response.writeHead(404).end()
  }

  return {
    url: `${await serve(t, answer)}/v1`,
    play: (model: string, acts: Act[]) => void scripts.set(model, [...acts]),
    /** Whether the model fails everybody, as its script says. */
    setOut: (model: string, isOut: boolean) => void (isOut ? out.add(model) : out.delete(model)),
    probesOf: (model: string) => probes.filter((request) => request.model === model),
    requestsOf: (model: string) => requests.filter((request) => request.model === model),
  }
}

/** Answers with a status, and what a provider writes beside it. */
export const status =
  (code: number, headers: Record<string, string> = {}, body = '{"error":{"message":"no","type":"some_error"}}'): Act =>
  (response) =>
    void response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(body)

/** Answers in one piece. */
export const whole = (body: string): Act => status(200, {}, body)

/** Closes the connection before it has answered. */
export const reset: Act = (response) => void response.socket?.resetAndDestroy()

/** Streams some events, as objects or as raw text, and ends as given. */
export const events =
  (sent: (object | string)[], end: 'end' | 'reset' | 'hang' = 'end'): Act =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of sent) response.write(framed(event))
    if (end === 'end') response.end()
    // What was written is to arrive before.
    if (end === 'reset') setTimeout(() => response.socket?.resetAndDestroy(), 100)
  }

export type FailingProvider = Awaited<ReturnType<typeof startFailingProvider>>
