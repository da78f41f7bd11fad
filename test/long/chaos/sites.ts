import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { text } from 'node:stream/consumers'
import type { ExecutionContext } from 'ava'
import { z } from 'zod'
import type { ContactsSite } from '../../../examples/sites/contacts/server.ts'
import { listen } from '../../../examples/sites/https-server.ts'
import { freePorts } from '../../../bin/local/ports.ts'
import { temporaryCertificates } from '../../helpers/https-server.ts'
import { startMcpServer } from '../../helpers/mcp-server.ts'
import { startContactsSite } from '../../helpers/sites.ts'
import type { Chance } from '../../money/chance.ts'
import type { Arrival } from './evidence.ts'

const effects = ['once', 'idempotent', 'read'] as const

/** Where a site is reached: at its own port, or at that of a door in front of it. */
type Road = (site: string, port: number) => Promise<number>

/** The sites of a storm. Their logs are written before they answer, and say what has really happened. */
export async function startSites(t: ExecutionContext, road: Road, redirectUris: string[], random: Chance) {
  const arrivals: Arrival[] = []
  const note = (site: string, key: string, tool: string) => void arrivals.push({ site, key, tool, at: Date.now() })
  const desk = await startDesk(t, road, note, random)
  const mcp = await startMcp(t, road, note)
  const contacts = await startContacts(t, road, redirectUris)
  const atContacts = (): Arrival[] =>
    contacts.requests().map(({ idempotencyKey, tool, at }) => ({
      site: 'contacts',
      key: idempotencyKey ?? '',
      tool,
      at: Date.parse(at),
    }))
  return { desk, mcp, contacts, arrivals: () => [...arrivals, ...atContacts()] }
}

export type Sites = Awaited<ReturnType<typeof startSites>>

type Note = (site: string, key: string, tool: string) => void

/** A site whose tokens are rotated, and soon expire. It must know how it is reached before it listens. */
async function startContacts(t: ExecutionContext, road: Road, redirectUris: string[]): Promise<ContactsSite> {
  const [port = 0] = await freePorts(1)
  const origin = `https://127.0.0.1:${await road('contacts', port)}`
  const { site } = await startContactsSite(t, { port, origin, redirectUris, accessTokenSeconds: 20 })
  return site
}

/** A site with a tool of each effect, whose answers take as long as those of real ones, so that blows fall between. */
async function startDesk(t: ExecutionContext, road: Road, note: Note, random: Chance): Promise<string> {
  const { server, origin: own, close } = await listen({ port: 0, tls: await temporaryCertificates() })
  t.teardown(close)
  const origin = `https://127.0.0.1:${await road('desk', Number(new URL(own).port))}`
  const manifest = JSON.stringify({
    name: 'Desk',
    version: '1.0.0',
    description: 'One tool of each effect.',
    server: { url: `${origin}/api` },
    auth: { type: 'bearer' },
    tools: effects.map((effect) => ({
      name: `desk.${effect}`,
      description: `A tool whose effect is ${effect}.`,
      effect,
      input_schema: { type: 'object', properties: {}, required: [] },
    })),
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isManifest = request.url === '/.well-known/toolsite.json'
    await text(request)
    if (!isManifest) {
      note('desk', String(request.headers['idempotency-key']), request.url?.split('/').at(-1) ?? '')
      await delay(random.whole(50, 2000))
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(isManifest ? manifest : '{"done":true}')
  }
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    answer(request, response).catch(() => response.destroy())
  })
  return origin
}

/** An MCP server, whose calls have no key but a mark in their arguments. */
async function startMcp(t: ExecutionContext, road: Road, note: Note): Promise<string> {
  const server = await startMcpServer(t, {
    token: mcpToken,
    more: (made) =>
      void made.registerTool(
        'note',
        { description: 'Notes.', inputSchema: z.object({ mark: z.string() }) },
        ({ mark }) => {
          note('mcp', mark, 'note')
          return { content: [{ type: 'text', text: 'Noted.' }] }
        },
      ),
  })
  return `https://127.0.0.1:${await road('mcp', server.port)}/mcp`
}

export const mcpToken = 'a-token-of-the-mcp-site-4711'

/**
 * Disturbs refreshes until it is told to stop: some are cut before the site has looked at them, some are slow. An answer
 * that is cut after its token was used up costs the connection, and that is a storm's usual work elsewhere.
 */
export function disturbRefreshes(contacts: ContactsSite, random: Chance) {
  const done = { cut: 0, delayed: 0 }
  contacts.intercept(async ({ grantType }, response, proceed) => {
    const turn = grantType === 'refresh_token' ? random.whole(1, 10) : 10
    if (turn === 1) {
      done.cut += 1
      response.socket?.destroy()
      return
    }
    if (turn <= 3) {
      done.delayed += 1
      await delay(random.whole(500, 3000))
    }
    await proceed()
  })
  return { done, stop: () => contacts.intercept(undefined) }
}
