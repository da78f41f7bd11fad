import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import * as agentRuns from '../../../api/agent-runs.ts'
import * as approvals from '../../../api/approvals.ts'
import * as chats from '../../../api/chat.ts'
import * as payments from '../../../api/payments.ts'
import * as vault from '../../../api/vault.ts'
import * as webhooks from '../../../api/webhooks.ts'
import { call, sendRaw, type Answer } from '../../helpers/client.ts'
import { runOf } from '../../helpers/people.ts'
import { nowSeconds, senders } from '../../helpers/senders.ts'
import { withToken } from '../../helpers/sessions.ts'
import type { Chance } from '../../money/chance.ts'
import type { Receipt } from './evidence.ts'
import type { Busy, Thrifty, WebhookAgent } from './owners.ts'

/** What clients have sent and were told. */
export interface Load {
  receipts: Receipt[]
  /** The client's ids of chat messages that were answered. */
  messages: string[]
  manualRuns: number
  decided: number
  directCalls: number
  purchases: number
  /** Deliveries that were refused because of a cap. */
  refused: number
  /** Requests that were sent again, by what became of them before. */
  troubles: Map<string, number>
}

export const emptyLoad = (): Load => ({
  receipts: [],
  messages: [],
  manualRuns: 0,
  decided: 0,
  directCalls: 0,
  purchases: 0,
  refused: 0,
  troubles: new Map(),
})

type Session = Busy['sessions']['whole']

/** In milliseconds. Longer than a chat answer may take. */
const patienceMs = 100_000

/**
 * Everything that users do, at a pace that two slow cores keep up with. Each request is sent again with its key until it
 * has an answer, as senders and SDKs do. Resolves when the signal has stopped it and the last request was answered.
 */
export async function play(load: Load, { busy, thrifty }: { busy: Busy; thrifty: Thrifty }, pace: Pace): Promise<void> {
  const { random, signal } = pace
  const { someone } = busy

  const trouble = (what: string, error: unknown): void => {
    const name = `${what}: ${describe(error)}`
    load.troubles.set(name, (load.troubles.get(name) ?? 0) + 1)
  }

  /** Sends a request until it has an answer that its client understands. Throws when even the calm has brought none. */
  async function untilAnswered<B>(what: string, send: () => Promise<Answer<B>>, mayFail: string[] = []) {
    for (;;) {
      try {
        const answer = await within(patienceMs, send())
        if (answer.status < 400) return answer.body
        if (mayFail.includes(answer.failure.code)) return undefined
        trouble(what, new Error(answer.failure.code))
      } catch (error) {
        trouble(what, error)
      }
      if (pace.gaveUp.aborted) throw new Error(`${what} had no answer`)
      await delay(1000)
    }
  }

  async function repeat(pauseMs: Pause, work: (turn: string) => Promise<unknown>, until = signal) {
    for (;;) {
      await delay(random.whole(...pauseMs), undefined, { signal: until }).catch(() => undefined)
      if (until.aborted) return
      await work(randomUUID())
    }
  }

  async function deliver(agent: WebhookAgent, key: string, payload: object = {}): Promise<void> {
    const from = Date.now()
    const raw = JSON.stringify({ key, ...payload })
    const { id: agentId, webhookSecret: secret, webhookProof } = agent
    const send = async () => {
      const headers = await senders[webhookProof].headers({ secret, body: raw, id: key, at: nowSeconds() })
      return call({ url: someone.url }, webhooks.receiveWebhook, { params: { agentId }, raw, headers })
    }
    const receipt = await untilAnswered('delivery', send, ['NO_CREDITS'])
    if (!receipt) return void (load.refused += 1)
    const { runId, sequence } = receipt as { runId: string; sequence: number }
    load.receipts.push({ agentId, key, runId, sequence, from, until: Date.now() })
  }

  async function startAndWait(key: string): Promise<void> {
    const params = { agentId: busy.manual.id }
    const headers = { 'idempotency-key': key }
    const from = Date.now()
    const run = await untilAnswered('manual run', () => call(someone, agentRuns.startRun, { params, headers }))
    if (!run) return
    const { id: runId, sequence } = run
    load.receipts.push({ ...params, key, runId, sequence, from, until: Date.now() })
    load.manualRuns += 1
    for (;;) {
      const found = await within(10_000, runOf(someone, runId)).catch(() => undefined)
      if (found?.endedAt || pace.gaveUp.aborted) return
      await delay(1000)
    }
  }

  async function chat(session: Session, id: string): Promise<void> {
    const text = random.of(['[[call desk.once]] [[say Noted.]]', '[[call desk.read]] [[say Read.]]', '[[say Hello.]]'])
    const body = { text, id, stream: false }
    const ask = () => call({ url: someone.url }, chats.sendChatMessage, { body, headers: withToken(session) })
    await untilAnswered('chat', ask, ['INTERNAL_ERROR', 'STREAM_ABORTED', 'CHAT_TIMEOUT'])
    load.messages.push(id)
  }

  /** As a page does: reads the stream to its end, and sends the message again if it breaks off. */
  async function chatStreamed(session: Session, id: string): Promise<void> {
    const body = JSON.stringify({ text: '[[call desk.idempotent]] [[say Streamed.]]', id, stream: true })
    const headers = { ...withToken(session), 'content-type': 'application/json' }
    const read = () => sendRaw(`${someone.url}/chat/messages`, { method: 'POST', headers, body })
    for (; !pace.gaveUp.aborted; await delay(1000)) {
      const answer = await within(patienceMs, read()).catch((error: unknown) => trouble('stream', error))
      if (!answer) continue
      if (answer.status === 200 && /"type":"(finish|error|abort)"/.test(answer.bytes.toString())) break
      trouble('stream', new Error(`${answer.status}, without an end`))
    }
    load.messages.push(id)
  }

  async function decideAll(): Promise<void> {
    const query = { status: 'pending', limit: '20' }
    const pending = await within(10_000, call(someone, approvals.listApprovals, { query })).catch(() => undefined)
    for (const { id } of pending?.status === 200 ? pending.body.items : []) {
      const decision = random.whole(1, 4) === 1 ? ('refuse' as const) : ('approve' as const)
      const params = { approvalId: id }
      const decide = () => call(someone, approvals.decideApproval, { params, body: { decision } })
      await untilAnswered('decision', decide, ['VALIDATION_ERROR', 'NOT_FOUND'])
      load.decided += 1
    }
  }

  async function callDirectly(key: string): Promise<void> {
    const toolName = random.of(['desk.once', 'desk.idempotent', 'desk.read'])
    const params = { entryId: busy.desk, toolName }
    const headers = { 'idempotency-key': key }
    await untilAnswered('direct call', () => call(someone, vault.callTool, { params, body: {}, headers }), [
      'TOOL_EXECUTION_ERROR',
      'SITE_UNAVAILABLE',
    ])
    load.directCalls += 1
  }

  async function buy(key: string): Promise<void> {
    const headers = { 'idempotency-key': key }
    const body = { credits: 500 }
    await untilAnswered('purchase', () => call(thrifty.someone, payments.buyCredits, { body, headers }))
    load.purchases += 1
  }

  const mark = (id: string) => ({ action: `[[call note {"mark":"${id}"}]] [[say done]]` })
  // Whatever still asks for a decision after the last request gets one.
  void repeat([2000, 4000], () => decideAll().catch(() => undefined), pace.gaveUp)
  await Promise.all([
    repeat([2000, 5000], (key) => deliver(busy.once, key)),
    repeat([5000, 9000], (key) => deliver(busy.several, key)),
    repeat([4000, 8000], (key) => deliver(busy.refreshing, key)),
    repeat([3000, 7000], (key) => deliver(busy.marked, key, mark(key))),
    repeat([10_000, 16_000], (key) => deliver(busy.asking, key)),
    repeat([6000, 12_000], (key) => deliver(thrifty.capped, key)),
    repeat([2000, 5000], startAndWait),
    repeat([5000, 10_000], (id) => chat(busy.sessions.whole, id)),
    repeat([5000, 10_000], (id) => chatStreamed(busy.sessions.streamed, id)),
    repeat([6000, 12_000], callDirectly),
    repeat([15_000, 30_000], buy),
  ])
}

type Pause = [least: number, most: number]

interface Pace {
  random: Chance
  /** Ends the load. */
  signal: AbortSignal
  /** Ends the wait for answers. */
  gaveUp: AbortSignal
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const timer = new AbortController()
  work.catch(() => undefined)
  try {
    return await Promise.race([
      work,
      delay(ms, undefined, { signal: timer.signal }).then(() => Promise.reject(new Error(`no answer in ${ms} ms`))),
    ])
  } finally {
    timer.abort()
  }
}

const describe = (error: unknown): string => {
  const { message, code } = error as Error & { code?: string }
  return `${code ?? ''} ${message}`.trim().slice(0, 100)
}
