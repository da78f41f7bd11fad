// @promise direct-calls
import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import * as calls from '../../api/calls.ts'
import * as vault from '../../api/vault.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { connectBadTools, person, type Person } from '../helpers/people.ts'
import { measured } from './record.ts'
import { openStage, type Stage } from './stage.ts'

type Ended = { key: string; callId: string; status: 'succeeded' | 'unknown' }

/** Calls a tool that must be called once, under a key, and repeats the request until there is an outcome. */
async function insist(someone: Person, entryId: string, key: string): Promise<Ended> {
  for (;;) {
    const params = { entryId, toolName: 'slow_once' }
    const request = { params, body: { seconds: 0.1 }, headers: { 'idempotency-key': key } }
    const answer = await call(someone, vault.callTool, request).catch(() => undefined)
    if (answer?.status === 200) return { key, callId: answer.body.callId, status: 'succeeded' }
    const { outcome, callId } = (answer?.failure ?? {}) as { outcome?: string; callId?: string }
    if (outcome === 'unknown' && callId !== undefined) return { key, callId, status: outcome }
    await delay(50)
  }
}

/** What a worker does about calls of dead processes when they can no longer be under way. */
async function closeLost({ platform: { services } }: Stage, killedAt: Date): Promise<void> {
  const longAgo = new Date(killedAt.getTime() - 86_400_000)
  await services
    .database('direct_tool_calls')
    .where({ status: 'started' })
    .where('startedAt', '<', killedAt)
    .update({ startedAt: longAgo })
  await services.tools.closeAbandoned()
}

test('an API that is killed during direct calls leaves no second effect under a key, and no doubt that nobody can look up', async (t) => {
  const stage = await openStage(t, { sites: true })
  let api = await stage.startApi()
  const someone = { ...(await person(stage.platform)), url: api.url }
  const entryId = await connectBadTools(someone, stage.sites)
  const { requests } = stage.sites.badTools
  const rounds = 3
  const keys = Array.from({ length: 30 }, (_, index) => `key-${index}`)
  const ended: Ended[] = []
  const waiting = [...keys]
  const clients = Array.from({ length: 6 }, async () => {
    for (let key = waiting.shift(); key !== undefined; key = waiting.shift())
      ended.push(await insist(someone, entryId, key))
  })
  for (let round = 1; round <= rounds; round += 1) {
    await eventually(20, 'calls are under way', () => Promise.resolve(requests().length >= 7 * round || undefined))
    await api.kill()
    const killedAt = new Date()
    api = await stage.startApi()
    await closeLost(stage, killedAt)
  }
  await Promise.all(clients)

  const doubts = ended.filter(({ status }) => status === 'unknown')
  measured(t, `${ended.length} calls, ${doubts.length} in doubt, ${requests().length} requests to the site`)
  t.true(doubts.length > 0)
  const sent = requests().map(({ idempotencyKey }) => idempotencyKey)
  t.is(new Set(sent).size, sent.length, 'no call was sent twice')
  t.true(sent.length <= keys.length)
  for (const { key, callId, status } of ended) {
    const { body } = await call(someone, calls.getCall, { params: { entryId, callId } })
    t.like(body, { id: callId, status, idempotencyKey: key, arguments: { seconds: 0.1 } })
    const { items } = (await call(someone, calls.listCalls, { params: { entryId }, query: { idempotencyKey: key } }))
      .body
    t.deepEqual(
      items.map(({ id }) => id),
      [callId],
    )
  }
  t.deepEqual(ended.map(({ key }) => key).toSorted(), keys.toSorted())
})
