import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { ExecutionContext } from 'ava'
import { listen } from '../../examples/sites/https-server.ts'
import { temporaryCertificates } from './https-server.ts'

export interface WrittenTool {
  name: string
  input_schema: object
}

/** A site with these tools. It answers a call with the given bytes, and keeps the raw arguments and the caller's span. */
export async function startToolsSite(
  t: Pick<ExecutionContext, 'teardown'>,
  tools: WrittenTool[],
  answer = '{"ok":true}',
) {
  const { server, origin, close } = await listen({ port: 0, tls: await temporaryCertificates() })
  t.teardown(close)
  const received: { tool: string; arguments: string; traceparent?: string }[] = []
  const manifest = JSON.stringify({
    name: 'Desk',
    version: '1.0.0',
    description: 'Odd schemas.',
    server: { url: `${origin}/api` },
    auth: { type: 'bearer' },
    tools: tools.map((tool) => ({ description: `Does ${tool.name}.`, effect: 'read', scope: 'read', ...tool })),
  })

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    const isManifest = request.url === '/.well-known/toolsite.json'
    const traceparent = request.headers['traceparent']?.toString()
    if (!isManifest)
      received.push({
        tool: request.url?.split('/').at(-1) ?? '',
        arguments: body,
        ...(traceparent && { traceparent }),
      })
    response.writeHead(200, { 'content-type': 'application/json' }).end(isManifest ? manifest : answer)
  }
  server.on('request', (request: IncomingMessage, response: ServerResponse) => void handle(request, response))
  return { origin, host: new URL(origin).host, received }
}
