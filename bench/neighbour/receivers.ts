import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from '../../examples/sites/https-server.ts'

/* The receivers of callbacks: one answers immediately and reports the ended run to its parent, one never answers. */
const [, , quickPort, tarpitPort, certFile = '', keyFile = ''] = process.argv
const tls = { certFile, keyFile }
const quick = await listen({ port: Number(quickPort), tls })
quick.server.on('request', (request: IncomingMessage, response: ServerResponse) => void receive(request, response))

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { data } = JSON.parse(await text(request)) as { data: { runId: string } }
  response.writeHead(204).end()
  process.send?.({ at: Date.now(), runId: data.runId })
}
const tarpit = await listen({ port: Number(tarpitPort), tls })
tarpit.server.on('request', (request: IncomingMessage) => void request.resume())
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
