import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { Certificates } from '../../bin/local/certificates.ts'
import { listen } from '../../examples/sites/https-server.ts'

/** How long the site takes to answer after the effect. A process killed meanwhile does not learn of the effect. */
export const answerMs = 300

/**
 * The site where the work of every side has its effect: each request appends its number to the list of its agent. It
 * does not look for repeats, so whoever sends a number twice has done the work twice.
 */
export async function startListSite(tls: Certificates) {
  const { server, origin, close } = await listen({ port: 0, tls })
  const lists = new Map<string, number[]>()
  server.on('request', (request: IncomingMessage, response: ServerResponse) => void handle(request, response))

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = request.method === 'GET' ? manifestOf(origin) : await append(await text(request))
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer))
  }

  async function append(body: string): Promise<object> {
    const { agent, number } = JSON.parse(body) as { agent: string; number: number }
    const list = lists.get(agent) ?? []
    lists.set(agent, list)
    list.push(number)
    await delay(answerMs)
    return { appended: number }
  }

  return { origin, close, listOf: (agent: string): number[] => lists.get(agent) ?? [] }
}

export type ListSite = Awaited<ReturnType<typeof startListSite>>

const manifestOf = (origin: string) => ({
  name: 'List',
  version: '1.0.0',
  description: 'Appends numbers to lists.',
  server: { url: `${origin}/api` },
  auth: { type: 'bearer' },
  tools: [
    {
      name: 'append',
      description: 'Appends a number to the list of an agent.',
      effect: 'once',
      input_schema: {
        type: 'object',
        properties: { agent: { type: 'string' }, number: { type: 'integer' } },
        required: ['agent', 'number'],
      },
    },
  ],
})
