import type { IncomingMessage, ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import type { ExecutionContext } from 'ava'
import { listen } from '../../../examples/sites/https-server.ts'
import { eventually } from '../../helpers/eventually.ts'
import { temporaryCertificates } from '../../helpers/https-server.ts'

/** A call as the site has seen it. */
export interface Arrived {
  /** The name of the answer. */
  name: string
  key: string
}

const tools = ['read', 'idempotent', 'once'].map((effect) => ({
  name: effect,
  description: `A tool whose effect is ${effect}.`,
  effect,
  input_schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
}))

/** A site with a tool of each effect. It does not answer the first call of an answer that is held. */
export async function startSite(t: ExecutionContext) {
  const { server, origin, close } = await listen({ port: 0, tls: await temporaryCertificates() })
  t.teardown(close)
  const arrived: Arrived[] = []
  const held = new Set<string>()
  const about = { name: 'Desk', version: '1.0.0', description: 'One tool of each effect.' }
  const manifest = { ...about, server: { url: `${origin}/api` }, auth: { type: 'bearer' }, tools }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isManifest = request.url === '/.well-known/toolsite.json'
    if (!isManifest) {
      const { name } = (await json(request)) as { name: string }
      arrived.push({ name, key: String(request.headers['idempotency-key']) })
      // Nobody waits for this one any more once its process is dead.
      if (held.delete(name)) return
    }
    const body = JSON.stringify(isManifest ? manifest : { done: true })
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  }
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    answer(request, response).catch(() => response.destroy())
  })
  const callsOf = (name: string) => arrived.filter((one) => one.name === name)
  return {
    origin,
    callsOf,
    hold: (name: string) => void held.add(name),
    /** Waits for the first call of an answer. */
    called: (name: string) => eventually(30, `${name} calls the site`, () => callsOf(name).length > 0 || undefined),
  }
}
