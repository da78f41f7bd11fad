import type { IncomingMessage, ServerResponse } from 'node:http'
import { Validator } from '@cfworker/json-schema'
import { listen, type ListenOptions } from '../https-server.ts'
import { createRequestLog, type LoggedRequest } from '../request-log.ts'
import { behaviours, sendJson, type BadCall, type Behaviour } from './behaviours.ts'
import { createManifest } from './manifest.ts'

export interface BadTools {
  origin: string
  /** The complete tool calls received, newest last. The status of calls without a response stays null. */
  requests: () => LoggedRequest[]
  close: () => Promise<void>
}

const toolPath = '/api/tools/'
const maxBodyBytes = 4 * 1024 * 1024

/** Starts a site whose tools misbehave. Any token is valid except `bad-token`. Throws if the port is taken. */
export async function startBadTools(options: ListenOptions): Promise<BadTools> {
  const { server, origin, close } = await listen(options)
  const log = createRequestLog()
  const count = createAttempts()
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    answer(request, response).catch((error: unknown) => {
      // Callers that disconnect are expected; any other error is a bug of the example.
      if (!response.destroyed) response.destroy()
      if ((error as Error).name !== 'AbortError' && !isCallerGone(error)) console.error(error)
    })
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', origin)
    if (request.method === 'GET') return answerGet(pathname, response)
    const body = await readBody(request)
    const name = pathname.startsWith(toolPath) ? pathname.slice(toolPath.length) : ''
    const entry = log.add(name, request.headers)
    const behaviour = Object.hasOwn(behaviours, name) ? behaviours[name] : undefined
    const attempt = count(`${name} ${entry.idempotencyKey}`)
    const refusal = refuse(request, behaviour, body)
    if (refusal) sendJson(response, refusal.status, { error: refusal.error })
    else await behaviour?.answer({ input: body as BadCall['input'], response, attempt, signal: endOf(response) })
    entry.status = response.headersSent ? response.statusCode : null
  }

  function answerGet(path: string, response: ServerResponse): void {
    if (path === '/.well-known/toolsite.json') return sendJson(response, 200, createManifest(origin))
    if (path === '/log') return sendJson(response, 200, { requests: log.list() })
    sendJson(response, 404, { error: 'There is nothing here.' })
  }

  return { origin, requests: log.list, close }
}

function refuse(request: IncomingMessage, behaviour: Behaviour | undefined, body: unknown) {
  const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (token === undefined || token === 'bad-token') return { status: 401, error: 'The token is not valid.' }
  if (!behaviour) return { status: 404, error: 'There is no such tool.' }
  const { valid, errors } = new Validator(behaviour.input_schema, '2020-12').validate(body ?? null)
  return valid ? undefined : { status: 400, error: errors.at(-1)?.error ?? 'The input is not valid.' }
}

/** The JSON of the body; undefined if it is invalid. */
async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= maxBodyBytes) chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString())
  } catch {
    return undefined
  }
}

/** Counts calls by key, and starts over at a number that no test or tour reaches. */
function createAttempts() {
  const attempts = new Map<string, number>()
  return (key: string): number => {
    if (attempts.size >= 10_000) attempts.clear()
    const attempt = (attempts.get(key) ?? 0) + 1
    attempts.set(key, attempt)
    return attempt
  }
}

function endOf(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  return gone.signal
}

const isCallerGone = (error: unknown): boolean =>
  ['ECONNRESET', 'EPIPE', 'ERR_STREAM_DESTROYED'].includes(String((error as { code?: unknown }).code))
