import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * An address of the platform's `/mcp` for clients that cannot send a credential. It adds the API key, and replaces its own
 * host, and its own origin, by those of the platform. Nothing else is changed.
 */
export async function startFront(api: string, key: string) {
  const target = new URL('/mcp', api)
  const server = createServer((request, response) => forward(request, response))
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const { port } = server.address() as AddressInfo
  const own = `http://localhost:${port}`

  function forward(request: IncomingMessage, response: ServerResponse): void {
    const { origin } = request.headers
    const headers = {
      ...request.headers,
      host: target.host,
      authorization: `Bearer ${key}`,
      ...(origin !== undefined && { origin: origin === own ? target.origin : origin }),
    }
    const onward = ask(target, { method: request.method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.on('error', () => response.destroy()).pipe(response)
    })
    onward.on('error', () => response.destroy())
    response.on('close', () => onward.destroy())
    request.pipe(onward)
  }

  return { url: `${own}/mcp`, close: () => closeNow(server) }
}

export function closeNow(server: ReturnType<typeof createServer>): void {
  server.closeAllConnections()
  server.close()
}
