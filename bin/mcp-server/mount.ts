import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import Koa from 'koa'
import { createRequestStateCodec, InMemoryServerEventBus, McpServer } from '@modelcontextprotocol/server'
import { refuseOtherOrigins } from '../../api/mcp/origins.ts'
import { respond } from '../../api/mcp/respond.ts'
import { closeNow } from './front.ts'
import { registerAsking } from './asking-fixtures.ts'
import { registerPrompts, registerResources, registerTools } from './plain-fixtures.ts'

/**
 * A server with everything that the suite asks for: tools, resources and prompts that the platform does not have. It is
 * served by what serves the platform's own. Returns its address, and a function that closes it.
 */
export async function startMount() {
  const bus = new InMemoryServerEventBus()
  const codec = createRequestStateCodec<{ round: number }>({ key: randomBytes(32) })
  const make = () => {
    const server = new McpServer(
      { name: 'test-mount', version: '1.0.0' },
      {
        capabilities: { logging: {}, completions: {}, resources: { subscribe: true, listChanged: true } },
        requestState: { verify: (state, ctx) => codec.verify(state, ctx) },
      },
    )
    registerTools(server)
    registerResources(server)
    registerPrompts(server)
    registerAsking(server, codec)
    const changes = {
      test_trigger_tool_change: 'tools_list_changed',
      test_trigger_prompt_change: 'prompts_list_changed',
    } as const
    for (const [name, kind] of Object.entries(changes))
      server.registerTool(name, { description: 'Says that a list has changed' }, () => {
        bus.publish({ kind })
        return { content: [] }
      })
    return server
  }
  const app = new Koa()
  const server = createServer((request, response) => void app.callback()(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://localhost:${(server.address() as AddressInfo).port}`
  app.use(async (ctx) => {
    try {
      refuseOtherOrigins(ctx, { baseUrl, corsOrigins: [] })
    } catch {
      ctx.status = 403
      return
    }
    const body = ctx.method === 'POST' ? await json(ctx.req) : undefined
    await respond(ctx, body, make, { mostSubscriptions: 100, bus, onerror: () => {} })
  })
  return { url: `${baseUrl}/mcp`, close: () => closeNow(server) }
}
