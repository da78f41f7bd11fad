import { request as ask, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from '../../examples/sites/https-server.ts'

/** The servers of the scenarios, in URLs as they are and in their encoded form in a query. */
const plain = /\bhttp(:\/\/|%3A%2F%2F)localhost(:|%3A)(\d+)/gi

/**
 * HTTPS addresses for HTTP servers of this machine, because the platform speaks to no others. Each server that a
 * response names gets an address of its own, and is known by it in both directions. Nothing else is changed.
 */
export function openFronts(tls: { certFile: string; keyFile: string }) {
  const fronts = new Map<string, Promise<string>>()
  const behind = new Map<string, string>()

  async function open(port: string): Promise<string> {
    const { server, origin } = await listen({ port: 0, tls })
    const own = new URL(origin).port
    behind.set(own, port)
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      forward(request, response, port).catch(() => response.destroy())
    })
    return own
  }

  const frontOf = (port: string): Promise<string> => {
    const front = fronts.get(port) ?? open(port)
    fronts.set(port, front)
    return front
  }

  /** The text with HTTPS addresses. */
  async function outward(given: string): Promise<string> {
    const ports = new Map<string, string>()
    for (const [, , , port = ''] of given.matchAll(plain)) ports.set(port, await frontOf(port))
    return given.replaceAll(plain, (_, slashes, colon, port) => `https${slashes}localhost${colon}${ports.get(port)}`)
  }

  /** The text with the addresses that the servers know themselves by. */
  const inward = (given: string): string =>
    given.replaceAll(/\bhttps(:\/\/|%3A%2F%2F)localhost(:|%3A)(\d+)/gi, (all, slashes, colon, own) => {
      const port = behind.get(own as string)
      return port === undefined ? all : `http${slashes}localhost${colon}${port}`
    })

  async function forward(request: IncomingMessage, response: ServerResponse, port: string): Promise<void> {
    const body = inward(await text(request))
    const { 'content-length': _, 'transfer-encoding': __, 'accept-encoding': ___, ...headers } = request.headers
    const given = Object.entries(headers).map(([name, value]) => [name, inward(String(value))])
    const options = { host: 'localhost', port, agent: false, method: request.method, path: inward(request.url ?? '/') }
    const own = { host: `localhost:${port}`, ...(body !== '' && { 'content-length': Buffer.byteLength(body) }) }
    const onward = ask({ ...options, headers: { ...Object.fromEntries(given), ...own } }, (answer) => {
      back(answer, response).catch(() => response.destroy())
    })
    onward.on('error', () => response.destroy())
    response.on('close', () => onward.destroy())
    onward.end(body)
  }

  async function back(answer: IncomingMessage, response: ServerResponse): Promise<void> {
    const headers: OutgoingHttpHeaders = {}
    for (const [name, value] of Object.entries(answer.headers))
      headers[name] = Array.isArray(value) ? value : await outward(value ?? '')
    const status = answer.statusCode ?? 502
    // A stream is passed on as it arrives. No scenario names a server in one.
    if (/text\/event-stream/.test(answer.headers['content-type'] ?? '')) {
      response.writeHead(status, headers).flushHeaders()
      return void answer.on('error', () => response.destroy()).pipe(response)
    }
    const body = await outward(await text(answer))
    const { 'content-length': _, 'transfer-encoding': __, ...others } = headers
    response.writeHead(status, others).end(body)
  }

  return { outward }
}
