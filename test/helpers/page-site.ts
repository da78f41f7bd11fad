import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Certificates } from '../../bin/local/certificates.ts'
import { listen } from '../../examples/sites/https-server.ts'

/** A site with one tool, `read_page`, whose responses have this size. Each names its page. */
export async function startPageSite(tls: Certificates, bytes: number) {
  const { server, origin, close } = await listen({ port: 0, tls })
  const manifest = {
    name: 'Pages',
    version: '1.0.0',
    description: 'Long pages.',
    server: { url: `${origin}/api` },
    auth: { type: 'bearer' },
    tools: [
      {
        name: 'read_page',
        description: 'Reads a page.',
        effect: 'read',
        input_schema: { type: 'object', properties: { page: { type: 'integer' } }, required: ['page'] },
      },
    ],
  }
  server.on('request', (request: IncomingMessage, response: ServerResponse) => void handle(request, response))

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.stringify(await answerTo(request))
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(body)
  }

  async function answerTo(request: IncomingMessage): Promise<object> {
    const body = await text(request)
    if (request.url === '/.well-known/toolsite.json') return manifest
    const { page } = JSON.parse(body) as { page: number }
    return { page, text: 'lorem ipsum '.repeat(Math.ceil(bytes / 12)).slice(0, bytes), end: `end of page ${page}` }
  }

  return { origin, close }
}
