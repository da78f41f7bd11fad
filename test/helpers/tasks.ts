import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { McpServer } from '@modelcontextprotocol/server'
import type { ExecutionContext } from 'ava'
import { z } from 'zod'
import * as vault from '../../api/vault.ts'
import type { Job } from '../../src/tools/job.ts'
import { call } from './client.ts'
import { eventually } from './eventually.ts'
import { startMcpServer, type Received } from './mcp-server.ts'
import { agentOf, customer, ended, timelineOf } from './people.ts'
import type { Platform } from './platform.ts'
import { dataOf, start } from './runs.ts'

/** What the server says of its tasks besides their ids. */
type Said = Record<string, unknown> & { status: string }

interface Message {
  id: unknown
  params: Record<string, unknown> & { name?: string; taskId?: string }
}

const working: Said = { status: 'working', statusMessage: 'Reading the sources.', pollIntervalMs: 1000 }
export const completed = (result: object): Said => ({ status: 'completed', result })
export const done = completed({ content: [{ type: 'text', text: 'All done.' }] })

/**
 * A server of 2026-07-28 that makes each call of its tool `work` a task, if the client can wait for it. What it says of
 * them is `said`, and may be changed at any time.
 */
export async function startTaskServer(t: ExecutionContext, options: { token?: string } = {}) {
  const server = await startMcpServer(t, { ...options, more: addWork })
  const tasks = new Map<string, object>()
  const answer = (response: ServerResponse, id: unknown, body: object) =>
    void response.writeHead(200, { 'Content-Type': 'application/json' }).end(textOf({ jsonrpc: '2.0', id, ...body }))
  const all = Object.assign(server, {
    said: working,
    /** What it says of a task when it creates it. */
    created: working,
    tasks,
    /** The parameters of all requests with this method. */
    asked: (method: string) =>
      server.received.filter((one) => one.method === method).map(({ body }) => (JSON.parse(body) as Message).params),
  })
  const times = { createdAt: '2026-07-28T00:00:00Z', lastUpdatedAt: '2026-07-28T00:00:00Z', ttlMs: null }

  function create(response: ServerResponse, id: unknown): boolean {
    const taskId = randomUUID()
    tasks.set(taskId, times)
    answer(response, id, { result: { resultType: 'task', taskId, ...times, ...all.created } })
    return true
  }

  function follow(response: ServerResponse, method: string, { id, params: { taskId = '' } }: Message): boolean {
    const result = method === 'tasks/get' ? { taskId, ...times, ...all.said } : {}
    if (tasks.has(taskId)) answer(response, id, { result: { resultType: 'complete', ...result } })
    else answer(response, id, { error: { code: -32_602, message: 'Task not found' } })
    return true
  }

  server.instead = ({ method = '', body }: Received, request, response) => {
    const message = JSON.parse(body || '{}') as Message
    const isTold = body.includes(extension) && request.headers['mcp-name'] === message.params?.taskId
    if (method.startsWith('tasks/') && !isTold) return false
    if (method.startsWith('tasks/')) return follow(response, method, message)
    return method === 'tools/call' && message.params.name === 'work' && body.includes(extension)
      ? create(response, message.id)
      : false
  }
  return all
}

/** `LONG` stands for a number that JavaScript would round. */
const textOf = (message: object): string => JSON.stringify(message).replaceAll('"LONG"', '12345678901234567890')

const extension = 'io.modelcontextprotocol/tasks'

function addWork(server: McpServer): void {
  server.server.registerCapabilities({ extensions: { [extension]: {} } })
  server.registerTool('work', { inputSchema: z.object({}), outputSchema: z.object({ sum: z.number() }) }, () => ({
    content: [{ type: 'text', text: 'Done at once.' }],
    structuredContent: { sum: 0 },
  }))
}

/** A person who has connected such a server. */
export async function withTaskServer(t: ExecutionContext, platform: Platform) {
  const server = await startTaskServer(t)
  const someone = await customer(platform)
  const entry = (await call(someone, vault.addToVault, { body: { url: server.url } })).body
  return { server, someone, vaultEntryId: entry.id }
}

type TaskServer = Awaited<ReturnType<typeof startTaskServer>>

/** A run whose only call is one that its site works on. `before`: changes the server before the call. */
export async function workingRun(
  t: ExecutionContext,
  platform: Platform,
  before: (server: TaskServer) => Promise<void> = async () => {},
) {
  const { server, someone, vaultEntryId } = await withTaskServer(t, platform)
  const systemPrompt = '[[call work]] [[then]] [[say Done.]]'
  const agent = await agentOf(someone, { systemPrompt, sites: [{ vaultEntryId }] })
  await before(server)
  const { id } = (await start(someone, agent)).body
  await eventually(30, 'the tool is called', () => server.calls().length > 0 || undefined)
  const polled = (times: number) =>
    eventually(30, `the site was asked ${times} times`, () => server.asked('tasks/get').length >= times || undefined)
  const outcome = async () => {
    await ended(someone, id, 60)
    const [finished, ...others] = dataOf(await timelineOf(someone, id), 'tool.finished')
    if (!finished || others.length > 0) throw new Error('the call did not end once')
    return finished
  }
  return { server, someone, agent, id, vaultEntryId, polled, outcome }
}

/** A job as a record has it. */
export const someJob: Job = {
  state: '{"taskId":"1"}',
  acceptedAt: '2026-11-21T09:00:00.000Z',
  until: '2999-01-01T00:00:00.000Z',
  heardAt: '2998-01-01T00:00:00.000Z',
  askAfter: 1,
  unanswered: 0,
  silentSince: null,
  words: '',
}
