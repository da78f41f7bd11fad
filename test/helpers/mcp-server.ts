import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import type { ExecutionContext } from 'ava'
import { z } from 'zod'
import { startHttpsSite } from './https-server.ts'

/** `current`: the stateless protocol of 2026 · `sessions`: those before it, with a session that the server keeps. */
export type Era = 'current' | 'sessions'

/** A request as it arrived. */
export interface Received {
  http: string
  method: string | undefined
  id: unknown
  session: string | undefined
  authorization: string | undefined
  body: string
}

interface Options {
  era?: Era
  /** Required with every request. */
  token?: string
}

/**
 * An MCP server at `/mcp` of an HTTPS site. Tests may take requests from it, take its sessions away, and change its
 * tools.
 */
export async function startMcpServer(t: ExecutionContext, { era = 'current', token }: Options = {}) {
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>()
  const server = {
    received: [] as Received[],
    /** Answers a request instead of the server, or returns false. */
    instead: (_received: Received, _request: IncomingMessage, _response: ServerResponse): boolean => false,
    /** Refuses a request as what it guards would, or returns false. */
    guard: async (_received: Received, _response: ServerResponse): Promise<boolean> => false,
    /** Answers requests to other paths. */
    elsewhere: (_request: IncomingMessage, response: ServerResponse): void => void response.writeHead(404).end(),
    /** How many times the tool `count` ran. */
    counted: 0,
    /** The names of the tools that it has lost. */
    removed: new Set<string>(),
    forgetSessions: () => sessions.clear(),
    calls: () => server.received.filter(({ method }) => method === 'tools/call'),
    handshakes: () => server.received.filter(({ method }) => method === 'initialize'),
  }
  const make = () => toolsOf(server)
  const serveCurrent = toNodeHandler(createMcpHandler(make, { legacy: 'reject' }))

  async function serveSession(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    const id = request.headers['mcp-session-id']
    const known = typeof id === 'string' ? sessions.get(id) : undefined
    if (known) return known.handleRequest(request, response, body)
    if (id !== undefined) return void refuse(response, 404, 'Session not found')
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (made) => void sessions.set(made, transport),
    })
    await make().connect(transport)
    return transport.handleRequest(request, response, body)
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    const message = body === '' ? undefined : (JSON.parse(body) as { method?: string; id?: unknown })
    const received = {
      http: request.method ?? '',
      method: message?.method,
      id: message?.id,
      session: request.headers['mcp-session-id'] as string | undefined,
      authorization: request.headers.authorization,
      body,
    }
    if (request.url !== '/mcp') return server.elsewhere(request, response)
    server.received.push(received)
    if (server.instead(received, request, response) || (await server.guard(received, response))) return
    if (token !== undefined && received.authorization !== `Bearer ${token}`)
      return void response.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end()
    // Its types want members to be absent that Node's may have as undefined.
    if (era === 'current') return serveCurrent(request as Parameters<typeof serveCurrent>[0], response, message)
    return serveSession(request, response, message)
  }

  const site = await startHttpsSite(t, (request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  return Object.assign(server, { origin: site.origin, url: `${site.origin}/mcp`, port: site.port })
}

/** Answers as servers do that refuse a request. */
export const refuse = (response: ServerResponse, status: number, message: string): ServerResponse =>
  response
    .writeHead(status, { 'Content-Type': 'application/json' })
    .end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } }))

function toolsOf(state: { counted: number; removed: ReadonlySet<string> }): McpServer {
  const server = new McpServer({ name: 'test-server', title: 'Test server', version: '1.2.3' })
  const words = (said: string) => ({ content: [{ type: 'text' as const, text: said }] })
  const tools = [
    server.registerTool(
      'add',
      {
        description: 'Adds.',
        inputSchema: z.object({ a: z.number(), b: z.number() }),
        outputSchema: z.object({ sum: z.number() }),
        annotations: { readOnlyHint: true },
      },
      ({ a, b }) => ({ ...words(String(a + b)), structuredContent: { sum: a + b } }),
    ),
    server.registerTool('say', { inputSchema: z.object({ text: z.string() }) }, ({ text: said }) => words(said)),
    server.registerTool('fail', { description: 'Fails.' }, () => ({ ...words('It is broken.'), isError: true })),
    server.registerTool('count', { description: 'Counts.', annotations: { idempotentHint: true } }, () => {
      state.counted += 1
      return words(String(state.counted))
    }),
  ]
  for (const [index, name] of ['add', 'say', 'fail', 'count'].entries())
    if (state.removed.has(name)) tools[index]?.remove()
  return server
}
