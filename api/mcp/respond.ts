import { Readable } from 'node:stream'
import { createMcpHandler, type McpServerFactory, type ServerEventBus } from '@modelcontextprotocol/server'
import { toWebRequest } from '@modelcontextprotocol/node'
import type { Context } from 'koa'
import { goneSignal } from '../streams/reader.ts'

interface Options {
  /** Streams that stay open to tell a client about changes. Without them, clients list again when a list is stale. */
  mostSubscriptions: number
  /** What these streams tell. */
  bus?: ServerEventBus
  onerror: (error: Error) => void
}

/**
 * Answers a request with a server that is made for it: of the revision of 2026-07-28, or of those of 2025 without a
 * session. `body` is the parsed body.
 */
export async function respond(
  ctx: Context,
  body: unknown,
  make: McpServerFactory,
  { mostSubscriptions, ...options }: Options,
): Promise<void> {
  const { fetch } = createMcpHandler(make, { maxSubscriptions: mostSubscriptions, ...options })
  const signal = goneSignal(ctx)
  // Its types want members to be absent that Node's may have as undefined.
  const request = await toWebRequest(ctx.req as Parameters<typeof toWebRequest>[0], body, { signal })
  const response = await fetch(request, { parsedBody: body })
  ctx.body = response.body === null ? null : Readable.fromWeb(response.body)
  ctx.status = response.status
  for (const [name, value] of response.headers) ctx.set(name, value)
}
