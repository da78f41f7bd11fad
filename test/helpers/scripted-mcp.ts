import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/*
 * An MCP server in a process of its own, so that what it sends costs the measured one nothing. Its parent sends the
 * response of each method, or of an address besides that of the server; `"ID"` becomes the id of the request.
 */

/** A response of the server: its type and its body, in parts that are written one after another. */
export interface Scripted {
  type: 'json' | 'stream'
  parts: string[]
  status?: number
  headers?: Record<string, string>
  /** The connection breaks after the parts. */
  isCut?: boolean
}

const [, , certFile = '', keyFile = ''] = process.argv
let answers: Record<string, Scripted> = {}

const json = (value: unknown): Scripted => ({ type: 'json', parts: [JSON.stringify(value)] })
const usual: Record<string, Scripted> = {
  initialize: json({
    jsonrpc: '2.0',
    id: 'ID',
    result: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'scripted', version: '1' },
    },
  }),
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request)
  const elsewhere = answers[request.url ?? '']
  if (elsewhere) return write(response, elsewhere, '')
  if (request.url !== '/mcp') return void response.writeHead(404).end()
  const { method = '', id } = (body === '' ? {} : JSON.parse(body)) as { method?: string; id?: unknown }
  const scripted = answers[method] ?? usual[method]
  if (scripted) write(response, scripted, JSON.stringify(id))
  else response.writeHead(method === 'server/discover' ? 404 : 202).end()
}

function write(response: ServerResponse, { type, parts, status = 200, headers, isCut }: Scripted, id: string): void {
  const contentType = type === 'json' ? 'application/json' : 'text/event-stream'
  response.writeHead(status, { 'Content-Type': contentType, ...headers })
  for (const part of parts) response.write(part.replaceAll('"ID"', id))
  if (isCut) response.write(' ', () => response.destroy())
  else response.end()
}

const server = createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) })
server.on('request', (request, response) => void serve(request, response).catch(() => response.destroy()))
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('message', (given: Record<string, Scripted>) => {
  answers = given
  process.send?.('ready')
})
process.on('disconnect', () => process.exit(0))
