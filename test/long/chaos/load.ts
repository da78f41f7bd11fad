import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import * as agentRuns from '../../../api/agent-runs.ts'
import * as payments from '../../../api/payments.ts'
import * as vault from '../../../api/vault.ts'
import * as webhooks from '../../../api/webhooks.ts'
import { call } from '../../helpers/client.ts'
import { runOf } from '../../helpers/people.ts'
import { nowSeconds, senders } from '../../helpers/senders.ts'
import { createChats } from './chats.ts'
import { createDesk } from './decisions.ts'
import type { Busy, Thrifty, WebhookAgent } from './owners.ts'
import { createPatience } from './requests.ts'
import type { Load, Pace } from './told.ts'

/**
 * Everything that users do, at a pace that two slow cores keep up with. `sending` resolves when the signal has stopped it
 * and the last request was answered; `deciding` when nobody waits any more. Both reject if a request had no answer.
 */
export function play(load: Load, { busy, thrifty }: { busy: Busy; thrifty: Thrifty }, pace: Pace) {
  const { random, signal, gaveUp } = pace
  const { someone } = busy
  const patience = createPatience(load, gaveUp)
  const chats = createChats(load, { url: someone.url, patience, pace })
  const desk = createDesk(load, { someone, patience, pace })

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
    const receipt = await patience.untilAnswered('delivery', send, agentId === thrifty.capped.id ? ['NO_CREDITS'] : [])
    if (!receipt) return void (load.refused += 1)
    const { runId, sequence } = receipt as { runId: string; sequence: number }
    load.receipts.push({ agentId, key, runId, sequence, from, until: Date.now() })
  }

  async function startAndWait(key: string): Promise<void> {
    const params = { agentId: busy.manual.id }
    const headers = { 'idempotency-key': key }
    const from = Date.now()
    const run = await patience.untilAnswered('manual run', () => call(someone, agentRuns.startRun, { params, headers }))
    if (!run) return
    const { id: runId, sequence } = run
    load.receipts.push({ ...params, key, runId, sequence, from, until: Date.now() })
    load.manualRuns += 1
    for (;;) {
      const found = await patience.once('look at a run', 10_000, () => runOf(someone, runId))
      if (found?.endedAt || gaveUp.aborted) return
      await delay(1000)
    }
  }

  async function callDirectly(key: string): Promise<void> {
    const toolName = random.of(['desk.once', 'desk.idempotent', 'desk.read'])
    const params = { entryId: busy.desk, toolName }
    const headers = { 'idempotency-key': key }
    const send = () => call(someone, vault.callTool, { params, body: {}, headers })
    const made = await patience.untilAnswered('direct call', send, ['TOOL_EXECUTION_ERROR', 'SITE_UNAVAILABLE'])
    if (made) load.accepted.push({ what: 'direct call', id: made.callId, key })
    else load.failedCalls += 1
  }

  async function buy(key: string): Promise<void> {
    const headers = { 'idempotency-key': key }
    const body = { credits: 500 }
    const paid = await patience.untilAnswered('purchase', () =>
      call(thrifty.someone, payments.buyCredits, { body, headers }),
    )
    if (paid) load.accepted.push({ what: 'purchase', id: paid.id, key })
  }

  const mark = (id: string) => ({ action: `[[call note {"mark":"${id}"}]] [[say done]]` })
  const sending = Promise.all([
    repeat([2000, 5000], (key) => deliver(busy.once, key)),
    repeat([5000, 9000], (key) => deliver(busy.several, key)),
    repeat([4000, 8000], (key) => deliver(busy.refreshing, key)),
    repeat([3000, 7000], (key) => deliver(busy.marked, key, mark(key))),
    repeat([10_000, 16_000], (key) => deliver(busy.asking, key)),
    repeat([6000, 12_000], (key) => deliver(thrifty.capped, key)),
    repeat([2000, 5000], startAndWait),
    repeat([5000, 10_000], (id) => chats.ask(busy.sessions.whole, id)),
    repeat([5000, 10_000], (id) => chats.read(busy.sessions.streamed, id)),
    repeat([6000, 12_000], callDirectly),
    repeat([15_000, 30_000], buy),
  ])
  // Whatever still asks for a decision after the last request gets one.
  return { sending, deciding: repeat([1000, 2000], () => desk.look(), gaveUp).then(() => desk.settled()) }
}

type Pause = [least: number, most: number]
