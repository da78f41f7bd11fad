import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import type { ExecutionContext } from 'ava'
import { eventually } from '../helpers/eventually.ts'

/** What a request is answered with; a function answers by itself, or not at all. */
type Reply = { status?: number; headers?: Record<string, string>; body?: unknown } | RequestListener

export interface FakePlatform {
  origin: string
  /** What was asked, oldest first: `DELETE /auth/me`. */
  asked: string[]
  /** Resolves when this was asked. */
  untilAsked: (what: string) => Promise<unknown>
}

const usual: Record<string, Reply> = {
  'GET /readyz': { body: { status: 'ok', temporal: 'reachable' } },
  'POST /auth/register': { status: 201, body: { id: 'an-id' } },
  'POST /auth/login': { body: { accessToken: 'a.good.token' } },
  'POST /auth/accept-terms': { body: {} },
  'POST /auth/logout': { status: 204 },
}

const ofLists: Reply = { body: { items: [] } }

/** A server that answers a few requests as the platform does, and the given ones in another way. Closed with the test. */
export async function startFakePlatform(
  t: ExecutionContext,
  others: Record<string, Reply> = {},
): Promise<FakePlatform> {
  const replies = { ...usual, ...others }
  const asked: string[] = []
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await textOf(request)
    const what = `${request.method} ${request.url?.split('?', 1)[0]}`
    asked.push(what)
    const reply = replies[what] ?? (request.method === 'DELETE' ? { status: 204 } : ofLists)
    if (typeof reply === 'function') return reply(request, response)
    const { status = 200, headers, body } = reply
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(body === undefined ? undefined : JSON.stringify(body))
  }
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    untilAsked: (what) => eventually(60, `${what} is asked`, () => asked.includes(what) || undefined),
  }
}
