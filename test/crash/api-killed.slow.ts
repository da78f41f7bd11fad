import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import { replayDeliveries } from '../../api/agent-replays.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { agentOf, customer, deliver, ended, timelineOf, webhookAgent } from '../helpers/people.ts'
import { start } from '../helpers/runs.ts'
import { watch } from '../helpers/watch.ts'
import { isGapless, measured, untilEvent } from './record.ts'
import { connected, openStage } from './stage.ts'

// @promise accepted
test('an API that is killed under a burst of deliveries has a run for every 202, and each run happens once', async (t) => {
  const stage = await openStage(t, { sites: true, env: { STALL_SECONDS: '1' } })
  const api = await stage.startApi()
  const { someone, sites } = await connected(stage)
  const agents = await Promise.all(
    [1, 2].map(() => webhookAgent(someone, { systemPrompt: '[[call slow_once {"seconds":0}]]', sites })),
  )
  const receipts: { runId: string; sequence: number }[] = []
  const sending = Array.from({ length: 8 }, async (_, sender) => {
    for (let number = 0; number < 200; number += 1) {
      const agent = agents[(sender + number) % 2]
      if (agent) receipts.push((await deliver(api, agent, { sender, number })).body)
    }
  })
  const broken = Promise.allSettled(sending)
  await eventually(10, 'the burst is under way', () => (receipts.length >= 25 ? true : undefined))
  await api.kill()
  t.true((await broken).every(({ status }) => status === 'rejected'))
  await stage.platform.startWorker()

  const { database } = stage.platform.services
  type Row = { id: string; agent_id: string; sequence: number; status: string }
  const rows = await eventually(150, 'every run ends', async () => {
    const { rows: found } = await database.raw<{ rows: Row[] }>(
      'select id, agent_id, sequence, status from runs order by agent_id, sequence',
    )
    return found.every(({ status }) => status === 'completed') ? found : undefined
  })
  measured(t, `${receipts.length} answered with 202, ${rows.length} accepted`)
  const known = new Set(rows.map(({ id }) => id))
  t.true(receipts.every(({ runId }) => known.has(runId)))
  for (const { id } of agents) {
    t.true(isGapless(rows.filter(({ agent_id: agentId }) => agentId === id).map(({ sequence }) => sequence)))
  }
  const keys = stage.sites.badTools.requests().map(({ idempotencyKey }) => idempotencyKey)
  t.is(keys.length, rows.length)
  t.is(new Set(keys).size, keys.length)
  t.true(rows.every(({ id }) => keys.includes(`${id}:1:0`)))
})

test('an API that is asked to stop under load answers what it has accepted and ends', async (t) => {
  const stage = await openStage(t, { env: { SHUTDOWN_SECONDS: '5' } })
  const api = await stage.startApi()
  const someone = await customer(stage.platform)
  const agent = await webhookAgent(someone)
  const receipts: { runId: string; sequence: number }[] = []
  const stopped = new AbortController()
  const sending = Array.from({ length: 20 }, async () => {
    while (!stopped.signal.aborted) {
      await deliver(api, agent, { at: Date.now() }).then(
        ({ body }) => receipts.push(body),
        () => delay(10), // Nobody listens any more.
      )
    }
  })
  await eventually(10, 'the load is on', () => (receipts.length >= 100 ? true : undefined))
  const asked = Date.now()
  t.is(await api.stop(), 0)
  measured(t, `${Date.now() - asked} ms until the API had ended, ${receipts.length} accepted`)
  t.true(Date.now() - asked < 3000)
  stopped.abort()
  await Promise.all(sending)

  t.true(receipts.length > 0)
  t.is(new Set(receipts.map(({ runId }) => runId)).size, receipts.length)
  // Nobody was left without an answer: what was accepted is what was answered.
  t.true(isGapless(receipts.map(({ sequence }) => sequence).toSorted((a, b) => a - b)))
  const { rows } = await stage.platform.services.database.raw<{ rows: { count: number }[] }>(
    'select count(*)::int from runs where agent_id = ?',
    [agent.id],
  )
  t.is(rows[0]?.count, receipts.length)
})

// @promise bulk-replays
test('an API that is killed while it replays failed deliveries has replayed the first of them, and the next request the rest, once each', async (t) => {
  const stage = await openStage(t)
  const api = await stage.startApi()
  const someone = await customer(stage.platform)
  const agent = await webhookAgent(someone)
  const { database } = stage.platform.services
  const ids: string[] = []
  const lane = async (number: number) => {
    for (let index = number; index < 400; index += 8)
      ids.push((await deliver(stage.platform, agent, { index })).body.runId)
  }
  await Promise.all(Array.from({ length: 8 }, (_, number) => lane(number)))
  await database('runs').whereIn('id', ids).update({ status: 'failed', reason: 'MODEL_ERROR', endedAt: new Date() })
  await database('agent_queues').where({ agentId: agent.id }).update({ unfinished: 0 })

  const params = { agentId: agent.id }
  type Row = { id: string; sequence: number; replayOf: string | null }
  const rows = async () => (await database('runs').where(params).orderBy('sequence')) as Row[]
  const replays = async () => (await rows()).flatMap(({ replayOf }) => (replayOf === null ? [] : [replayOf]))
  const cutOff = call({ ...someone, url: api.url }, replayDeliveries, { params, body: { to: 400 } })
  const broken = Promise.allSettled([cutOff])
  await eventually(10, 'the first batch is committed', async () => ((await replays()).length > 0 ? true : undefined))
  await api.kill()
  await broken
  const before = (await replays()).length
  measured(t, `${before} of 400 were replayed before the kill`)
  t.is(before % 50, 0, 'batches are whole')

  const { body } = await call(someone, replayDeliveries, { params, body: { to: 400 } })
  t.like(body, { replays: 400 - before, leftOut: { replayed: before }, next: null })
  const all = await rows()
  t.deepEqual(
    await replays(),
    all.slice(0, 400).map(({ id }) => id),
  )
  t.true(isGapless(all.map(({ sequence }) => sequence)))
})

test('a reader of a timeline whose API is killed reconnects to another one with the last id, and misses nothing', async (t) => {
  const stage = await openStage(t, { worker: true })
  const api = await stage.startApi()
  const someone = await customer(stage.platform)
  const agent = await agentOf(someone, { systemPrompt: '[[call no_such_tool]] [[then]] [[sleep 3]] [[say done]]' })
  const { id } = (await start(someone, agent)).body
  const first = await watch({ ...someone, url: api.url }, id)
  await untilEvent(someone, id, 'step.started', ({ data }) => data['step'] === 2)
  await api.kill()
  t.is(await first.ended, 'cut off')
  const second = await watch(someone, id, { lastEventId: first.lastEventId() })
  t.is(await second.ended, 'ended')
  t.is((await ended(someone, id)).status, 'completed')
  t.true(first.events.length > 0 && second.events.length > 0)
  const timeline = await timelineOf(someone, id)
  t.deepEqual(
    [...first.events, ...second.events].map(({ event }) => event),
    timeline.map(({ kind }) => kind),
  )
})
