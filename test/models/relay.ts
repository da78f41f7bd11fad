import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { ExecutionContext } from 'ava'
import { serve } from './servers/serve.ts'

/** A request as it came in, byte for byte. */
export interface Received {
  path: string
  headers: IncomingMessage['headers']
  text: string
}

/**
 * Stands before a mock provider, and keeps what passes through: the mock's own journal holds requests in the shape that
 * the mock converts them to, without reasoning.
 */
export async function startRelay(t: ExecutionContext, target: string) {
  const received: Received[] = []
  let held: { from: number; until: Promise<void> } | undefined
  let refusedFrom = Infinity

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'POST', url: path = '/', headers } = request
    const body = await text(request)
    const number = received.push({ path, headers, text: body })
    if (held && number >= held.from) await held.until
    if (response.destroyed) return
    if (number >= refusedFrom) return void response.writeHead(400).end('{"error":{"message":"refused"}}')
    const { ['content-type']: type = 'application/json', authorization, 'x-api-key': key } = headers
    const auth = { ...(authorization && { authorization }), ...(typeof key === 'string' && { 'x-api-key': key }) }
    const answer = await fetch(`${target}${path}`, { method, body, headers: { 'content-type': type, ...auth } })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    response.end(Buffer.from(await answer.arrayBuffer()))
  }

  const url = await serve(t, pass)
  return {
    url,
    received: (): Received[] => received,
    /** What came in, read. */
    bodies: (): Record<string, unknown>[] => received.map((one) => JSON.parse(one.text) as Record<string, unknown>),
    /** Refuses the request of this number, and those after it. */
    refuse: (from: number): void => void (refusedFrom = from),
    /** Keeps the request of this number, and those after it, until the returned function is called. */
    hold(from: number): () => void {
      const { promise, resolve } = Promise.withResolvers<void>()
      held = { from, until: promise }
      return () => {
        held = undefined
        resolve()
      }
    },
  }
}

export type Relay = Awaited<ReturnType<typeof startRelay>>
