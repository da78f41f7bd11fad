import { request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer, text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { ExecutionContext } from 'ava'
import { startHttpsSite } from '../../helpers/https-server.ts'
import { fateOf, type Fate } from './fate.ts'
import { markIn } from './plan.ts'

/** A call that a proxy let through to its server or API. */
export interface Sent {
  mark: string
  tool: string
  /** The id of the JSON-RPC request. Requests to APIs have none. */
  id: unknown
  fate: Fate['kind']
}

interface Forwarded {
  request: IncomingMessage
  body: string
}

/**
 * An HTTPS address for a server behind a socket. It logs each call of a tool that it lets through, and spoils answers by
 * the seed. A call that it let through is executed, even if its client is dead by then.
 */
export async function startProxy(t: ExecutionContext, socketPath: string, seed: number) {
  const sent: Sent[] = []
  const times = new Map<string, number>()

  function forward({ request, body }: Forwarded, onAnswer: (answer: IncomingMessage) => void, onError: () => void) {
    const { method, url: path, headers } = request
    const onward = ask({ socketPath, agent: false, method, path, headers }, onAnswer)
    onward.on('error', onError)
    onward.end(body)
    return onward
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    const call = callIn(request, body)
    if (call) return serveCall({ request, body }, call, response)
    const pass = (answer: IncomingMessage) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.on('error', () => response.destroy()).pipe(response)
    }
    const onward = forward({ request, body }, pass, () => response.destroy())
    response.on('close', () => onward.destroy())
  }

  async function serveCall(given: Forwarded, { mark, tool, id }: Call, response: ServerResponse): Promise<void> {
    const before = times.get(mark) ?? 0
    times.set(mark, before + 1)
    const fate = fateOf(seed, mark, before)
    if (fate.kind === 'lost') return void response.destroy()
    sent.push({ mark, tool, id, fate: fate.kind })
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      forward(given, resolve, () => reject(new Error('The server is away.')))
    })
    const whole = await buffer(answer)
    if (fate.kind === 'cut') return void response.destroy()
    if (fate.kind === 'late') await delay(fate.ms)
    const { 'transfer-encoding': _, ...headers } = answer.headers
    response.writeHead(answer.statusCode ?? 502, { ...headers, 'content-length': whole.length })
    if (fate.kind === 'torn') response.write(whole.subarray(0, whole.length >> 1), () => response.destroy())
    else response.end(whole)
  }

  const site = await startHttpsSite(t, (request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  /** The log so far. The next client begins with an empty one. */
  const take = (): Sent[] => {
    times.clear()
    return sent.splice(0)
  }
  return { origin: site.origin, take }
}

export type Proxy = Awaited<ReturnType<typeof startProxy>>

type Call = Omit<Sent, 'fate'>

interface ToolsCall {
  id: unknown
  method: string
  params: { name: string; arguments?: unknown }
}

/** The call in a request: of a tool by JSON-RPC, or of an operation below the address of an API's server. */
function callIn({ method = '', url = '' }: IncomingMessage, body: string): Call | undefined {
  if (url.startsWith('/v1/')) return { mark: markIn(url + body), tool: `${method} ${url}`, id: undefined }
  if (!body.includes('"tools/call"')) return undefined
  const message = JSON.parse(body) as ToolsCall
  if (message.method !== 'tools/call') return undefined
  return { mark: markIn(message.params.arguments), tool: message.params.name, id: message.id }
}
