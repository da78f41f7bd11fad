import { createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { ExecutionContext } from 'ava'
import { listen } from '../../examples/sites/https-server.ts'
import { temporaryCertificates } from './https-server.ts'

export interface HostileSite {
  origin: string
  host: string
  /** Answers the request for the manifest; by default with a valid one. */
  manifest: RequestListener
  tool: RequestListener
}

/** A manifest that is valid except for the given members. */
export const manifestWith = (serverUrl: string, more: object = {}) => ({
  name: 'A hostile site',
  version: '1.0.0',
  description: 'Attacks whoever connects it.',
  server: { url: serverUrl },
  auth: { type: 'bearer' },
  tools: [
    {
      name: 'act',
      description: 'Acts.',
      effect: 'once',
      input_schema: { type: 'object', properties: {}, required: [] },
    },
  ],
  ...more,
})

/** Answers with a body of the given type, by default JSON. */
export const answering =
  (body: unknown, type = 'application/json'): RequestListener =>
  (_request, response) =>
    void response
      .writeHead(200, { 'Content-Type': type })
      .end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body))

export const redirecting =
  (status: number, location: string): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, { Location: location }).end()

/** An HTTPS site on loopback whose responses the test sets. */
export async function startHostileSite(t: ExecutionContext): Promise<HostileSite> {
  const { server, origin, close } = await listen({ port: 0, tls: await temporaryCertificates() })
  t.teardown(close)
  const site: HostileSite = {
    origin,
    host: new URL(origin).host,
    manifest: answering(manifestWith(`${origin}/api`)),
    tool: answering({ done: true }),
  }
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    request.resume()
    response.on('error', () => response.destroy())
    if (request.method === 'GET') site.manifest(request, response)
    else site.tool(request, response)
  })
  return site
}

/** TCP listeners on every loopback address, on ports that sites may have. They only count connections. */
export async function startTraps(t: ExecutionContext, count: number) {
  let connections = 0
  const ports: number[] = []
  for (let index = 0; index < count; index += 1) {
    const server = createServer((socket: Socket) => {
      connections += 1
      socket.destroy()
    })
    await new Promise<void>((resolve) => server.listen(0, resolve))
    t.teardown(() => void server.close())
    ports.push((server.address() as AddressInfo).port)
  }
  return { ports, connections: () => connections }
}
