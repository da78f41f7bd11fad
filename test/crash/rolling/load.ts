import { setTimeout as delay } from 'node:timers/promises'
import type { Balancer } from './balancer.ts'
import { followRun } from './follow-run.ts'
import type { Accepted } from './record.ts'

/** What was accepted, what was read, and every request that failed, a sentence each. */
export interface Load {
  requests: number
  failures: string[]
  /** Each agent's runs, by deliveries and by hand, in the order in which they were accepted. */
  delivered: Accepted
  chats: number
  /** How often a stream of events ended before its run, and was resumed elsewhere. */
  resumed: number
  followed: number
}

export const summary = ({ requests, delivered, chats, followed, resumed }: Load): string =>
  `${requests} requests, ${[...delivered.values()].flat().length} runs accepted, ${chats} chat answers, ${followed} runs followed, ${resumed} streams resumed`

export interface Traffic {
  load: Load
  stop: () => Promise<void>
}

type Json = Record<string, unknown>

/** One owner, whose agents get deliveries and manual runs, who chats, watches runs and reads lists, all at once. */
export async function startTraffic(balancer: Pick<Balancer, 'send'>): Promise<Traffic> {
  const load: Load = { requests: 0, failures: [], delivered: new Map(), chats: 0, resumed: 0, followed: 0 }
  const owner = await createOwner(balancer)
  const stopped = new AbortController()
  const { signal } = stopped

  /** A request whose failure is noted. */
  async function ask(path: string, init: RequestInit, expected: number): Promise<Response | undefined> {
    load.requests += 1
    try {
      const answer = await balancer.send(path, init)
      if (answer.status === expected) return answer
      load.failures.push(`${init.method ?? 'GET'} ${path}: ${answer.status} ${await answer.text()}`)
    } catch (error) {
      load.failures.push(`${init.method ?? 'GET'} ${path}: ${describe(error)}`)
    }
    return undefined
  }

  async function repeat(pauseMs: number, work: (turn: number) => Promise<unknown>): Promise<void> {
    for (let turn = 1; !signal.aborted; turn += 1) {
      await work(turn).catch((error: unknown) => void load.failures.push(describe(error)))
      await delay(pauseMs)
    }
  }

  const accept = (agentId: string, runId: string): void =>
    void load.delivered.set(agentId, [...(load.delivered.get(agentId) ?? []), runId])

  async function deliverTo({ id, webhookSecret }: Agent, number: number): Promise<string | undefined> {
    const headers = { 'content-type': 'application/json', 'x-webhook-secret': webhookSecret }
    const init = { method: 'POST', headers, body: JSON.stringify({ number }) }
    const answer = await ask(`/api/webhooks/agent/${id}`, init, 202)
    if (!answer) return undefined
    const { runId } = (await answer.json()) as { runId: string }
    accept(id, runId)
    return runId
  }

  async function watchNext(agent: Agent, number: number): Promise<void> {
    const runId = await deliverTo(agent, number)
    if (runId === undefined) return
    const path = `/runs/${runId}/events`
    const { resumed, problems } = await followRun((init) => balancer.send(path, init), owner.headers)
    load.resumed += resumed
    load.followed += 1
    load.failures.push(...problems.map((problem) => `${path}: ${problem}`))
  }

  async function chat(headers: Record<string, string>): Promise<void> {
    const body = JSON.stringify({ text: '[[sleep 0.3]] [[say Here it is.]]', stream: true })
    const answer = await ask('/chat/messages', { method: 'POST', headers, body }, 200)
    const text = await answer?.text()
    if (text === undefined) return
    load.chats += 1
    if (!text.includes('"type":"finish"') || text.includes('"type":"error"'))
      load.failures.push(`a chat answer did not end: ${text.slice(-300)}`)
  }

  /** An agent that people start has one run at a time. */
  async function startAndWait(): Promise<void> {
    const { headers } = owner
    const started = await ask(`/agents/${manual.id}/runs`, { method: 'POST', headers }, 202)
    const { id } = ((await started?.json()) ?? {}) as { id?: string }
    if (id !== undefined) accept(manual.id, id)
    for (let isOver = id === undefined; !isOver; await delay(100)) {
      const answer = await ask(`/runs/${id}`, { headers }, 200)
      isOver = !answer || ((await answer.json()) as { endedAt: string | null }).endedAt !== null
    }
  }

  const read = (path: string) => async () => void (await (await ask(path, { headers: owner.headers }, 200))?.text())
  const quick = await Promise.all([1, 2, 3].map(() => owner.agent('[[sleep 0.05]] [[say done]]')))
  const slow = await Promise.all([1, 2].map(() => owner.agent('[[sleep 2]] [[say done]]')))
  const manual = await owner.agent('[[say done]]', 'manual')
  const session = await owner.session()
  const working = [
    ...quick.map((agent) => repeat(400, (number) => deliverTo(agent, number))),
    ...slow.map((agent) => repeat(50, (number) => watchNext(agent, number))),
    repeat(100, startAndWait),
    repeat(200, () => chat(session)),
    repeat(300, read('/agents')),
    repeat(300, read('/runs?limit=20')),
  ]
  return {
    load,
    async stop() {
      stopped.abort()
      await Promise.all(working)
    },
  }
}

export interface Agent {
  id: string
  webhookSecret: string
}

export const describe = (error: unknown): string => {
  const { message, cause } = error as Error
  return cause === undefined ? message : `${message}: ${describe(cause)}`
}

/** Of a release whose answers may lack newer members, so nothing here compares them with the schemas of this one. */
export async function createOwner({ send }: Pick<Balancer, 'send'>) {
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  async function post(path: string, body: Json): Promise<Json> {
    const answer = await send(path, { method: 'POST', headers, body: JSON.stringify(body) })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${text}`)
    return text === '' ? {} : (JSON.parse(text) as Json)
  }
  const credentials = { email: 'owner@example.com', password: 'password of the owner' }
  await post('/auth/register', credentials)
  headers['authorization'] = `Bearer ${String((await post('/auth/login', credentials))['accessToken'])}`
  await post('/auth/accept-terms', {})
  await post('/billing/payment-methods', { paymentMethod: 'pm_card_visa' })
  await post('/billing/subscription', { tier: 'enterprise' })
  return {
    headers,
    agent: async (systemPrompt: string, trigger = 'webhook') =>
      (await post('/agents', { name: 'An agent', systemPrompt, trigger })) as unknown as Agent,
    async session() {
      const { token } = await post('/sessions', { sites: [] })
      return { 'content-type': 'application/json', 'x-session-token': String(token) }
    },
  }
}
