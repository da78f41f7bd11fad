// @promise bulk-replays
import test from 'ava'
import { previewReplay, replayDeliveries } from '../../../../api/agent-replays.ts'
import { updateAgent } from '../../../../api/agents.ts'
import { replayRun } from '../../../../api/runs.ts'
import type { ErrorCode } from '../../../../src/errors.ts'
import { fillStore } from '../../../api/hoarder.ts'
import { call } from '../../../helpers/client.ts'
import { customer, deliver, runOf, timelineOf, webhookAgent, type Person } from '../../../helpers/people.ts'
import { startPlatform } from '../../../helpers/platform.ts'
import { cancel, runsOf } from '../../../helpers/runs.ts'
import { forWholeFile } from '../../../helpers/whole-file.ts'

/** Nobody carries runs out here, so they fail when the test says so. */
const openPlatform = forWholeFile(test, 'replay-failed', (t) => startPlatform(t, { env: { QUEUE_DEPTH: '120' } }))

interface Filter {
  from?: number
  to?: number
  reason?: 'NO_CREDITS'
  endedSince?: string
  endedUntil?: string
  repeatOnceCalls?: boolean
}

async function open() {
  const platform = await openPlatform()
  const { database } = platform.services
  const someone = await customer(platform)
  const agent = await webhookAgent(someone)
  const params = { agentId: agent.id }

  /** Ends a run as its worker would. */
  const fail = (id: string, reason = 'MODEL_ERROR', endedAt = new Date()) =>
    database.transaction(async (trx) => {
      await trx('runs').where({ id }).update({ status: 'failed', reason, endedAt })
      await trx('agent_queues').where({ agentId: agent.id }).decrement('unfinished', 1)
    })

  async function failed(count: number, headers: Record<string, string>[] = []): Promise<string[]> {
    const ids: string[] = []
    for (let number = 1; number <= count; number += 1) {
      const { runId } = (await deliver(platform, agent, { number }, headers[number - 1])).body
      await fail(runId)
      ids.push(runId)
    }
    return ids
  }

  const toolCall = (runId: string, fields: Record<string, unknown>) =>
    database('tool_calls').insert({
      subjectId: runId,
      step: 1,
      position: 0,
      id: runId,
      plannedAt: new Date(),
      effect: 'once',
      status: 'succeeded',
      name: 'pay',
      arguments: '{}',
      ...fields,
    })

  const replay = (body: Filter = {}, headers: Record<string, string> = {}) =>
    call(someone, replayDeliveries, { params, body, headers })
  const preview = async (query: Record<string, string> = {}) =>
    (await call(someone, previewReplay, { params, query })).body
  return { platform, database, someone, agent, params, fail, failed, toolCall, replay, preview }
}

/** Which run each run of the agent replays, in the order of arrival. */
const replaysOf = async (someone: Person, agent: { id: string }) =>
  (await runsOf(someone, agent)).map(({ replayOf }) => replayOf)

const nothingLeftOut = { replayed: 0, onceCalls: 0, schema: 0, purged: 0 }

test('failed deliveries are replayed in their order, with their payloads, behind newer deliveries', async (t) => {
  const { platform, someone, agent, failed, replay, preview } = await open()
  const ids = await failed(3)
  const newer = (await deliver(platform, agent, { number: 4 })).body
  t.like(await preview(), { replays: 3, leftOut: nothingLeftOut, next: null, firstSequence: null })
  t.is((await runsOf(someone, agent)).length, 4, 'a preview changes nothing')
  const stored = async () => {
    await platform.services.billing.storedBytes.flush()
    const { ownerId } = agent
    return Number(
      (await platform.services.database('stored_bytes').where({ ownerId }).sum({ bytes: 'bytes' }))[0]?.['bytes'],
    )
  }
  const before = await stored()

  const { status, body } = await replay()
  t.is(status, 202)
  t.like(body, { replays: 3, firstSequence: 5, lastSequence: 7, leftOut: nothingLeftOut, next: null, stopped: null })
  t.regex(body.message, /newer deliveries are processed first/)
  t.true((await stored()) > before, 'their payloads are stored anew')
  t.deepEqual(await replaysOf(someone, agent), [null, null, null, null, ...ids])
  t.is((await runOf(someone, newer.runId)).sequence, 4)
  const last = (await runsOf(someone, agent)).at(-1)?.id ?? ''
  t.like((await timelineOf(someone, last))[0]?.data, { payload: { number: 3 }, replayOf: ids[2] })

  t.like((await replay()).body, { replays: 0, leftOut: { replayed: 3 }, firstSequence: null })
  t.is((await runsOf(someone, agent)).length, 7, 'asked again, it replays nothing twice')
})

test('a replay that has failed, too, is replayed in place of its delivery, and only the last of a chain', async (t) => {
  const { someone, agent, fail, failed, replay } = await open()
  const [first = ''] = await failed(1)
  const again = async (runId: string) => (await call(someone, replayRun, { params: { runId } })).body.id
  const [one, other] = [await again(first), await again(first)]
  await fail(one)
  t.like((await replay()).body, { replays: 0, leftOut: { replayed: 2 } }, 'another replay of it is queued')
  await fail(other)
  t.like((await replay()).body, { replays: 1, leftOut: { replayed: 2 } })
  t.deepEqual(await replaysOf(someone, agent), [null, first, first, other])
  const third = (await runsOf(someone, agent)).at(-1)?.id ?? ''
  await cancel(someone, third)
  t.like((await replay()).body, { replays: 0, leftOut: { replayed: 3 } }, 'its owner has cancelled it')
  await fail(await again(first))
  t.like((await replay()).body, { replays: 1, leftOut: { replayed: 3 } }, 'one that was cancelled is no other')
})

test('under one key no delivery is replayed twice, whatever becomes of its replays', async (t) => {
  const { someone, agent, fail, failed, replay } = await open()
  await failed(2)
  const key = { 'idempotency-key': 'after-the-outage' }
  t.is((await replay({ to: 1 }, key)).body.replays, 1)
  const replays = (await runsOf(someone, agent)).filter(({ replayOf }) => replayOf !== null)
  for (const { id } of replays) await fail(id)
  t.like((await replay({}, key)).body, { replays: 1, leftOut: { replayed: 2 } }, 'the second delivery')
  t.is((await replay({}, { 'idempotency-key': 'another' })).body.replays, 1)
})

test('a delivery is left out if one of its runs made a call that must not be repeated, unless that is asked for', async (t) => {
  const { database, someone, agent, fail, failed, toolCall, replay, preview } = await open()
  const [paid = '', unknown = '', read = '', refused = '', doubted = ''] = await failed(5)
  await toolCall(paid, {})
  await toolCall(unknown, { status: 'unknown' })
  await toolCall(read, { effect: 'read' })
  await toolCall(refused, { status: 'failed' })
  await toolCall(doubted, { status: 'failed', inDoubt: true })
  t.like(await preview(), { replays: 2, leftOut: { ...nothingLeftOut, onceCalls: 3 } })
  t.like((await replay()).body, { replays: 2, leftOut: { ...nothingLeftOut, onceCalls: 3 } })
  t.deepEqual((await replaysOf(someone, agent)).slice(5), [read, refused])

  t.is((await preview({ repeatOnceCalls: 'true' })).replays, 3)
  t.like((await replay({ to: 1, repeatOnceCalls: true })).body, { replays: 1 })
  const again = (await runsOf(someone, agent)).at(-1)
  t.is(again?.replayOf, paid)
  await fail(again?.id ?? '')
  t.like((await replay({ from: 6 })).body, { replays: 0, leftOut: { onceCalls: 1 } }, 'its first run paid')
  await database('runs').where({ id: paid }).delete()
  t.like(
    (await replay({ from: 6 })).body,
    { replays: 0, leftOut: { onceCalls: 1 } },
    'nobody knows what its first run did',
  )
})

test('runs that did not fail, that no webhook started, or that the filter does not name are not replayed', async (t) => {
  const { platform, someone, agent, params, fail, failed, replay } = await open()
  const ids = await failed(2)
  const { runId: cancelled } = (await deliver(platform, agent, {})).body
  await cancel(someone, cancelled)
  const old = (await deliver(platform, agent, {})).body.runId
  await fail(old, 'NO_CREDITS', new Date(Date.now() - 86_400_000))
  const since = new Date(Date.now() - 3_600_000).toISOString()
  t.is((await replay({ endedSince: since, from: 3 })).body.replays, 0)
  t.is((await replay({ endedSince: since, from: 2 })).body.replays, 1)
  const midday = new Date(Date.now() - 43_200_000).toISOString()
  t.is((await replay({ reason: 'NO_CREDITS', endedSince: midday })).body.replays, 0)
  t.is((await replay({ reason: 'NO_CREDITS', endedUntil: midday })).body.replays, 1)
  t.is(
    (await replay({ endedUntil: midday })).body.leftOut.replayed,
    1,
    'of the first, that failed now, it says nothing',
  )
  t.deepEqual((await replaysOf(someone, agent)).slice(4), [ids[1], old])
  const { failure } = await call(someone, replayDeliveries, { params, body: { from: 0 } })
  t.is(failure.code, 'VALIDATION_ERROR')
})

test('a payload that does not fit the present schema is left out', async (t) => {
  const { someone, agent, params, failed, replay, preview } = await open()
  await failed(2)
  const webhookSchema = [{ name: 'title', type: 'string' as const }]
  await call(someone, updateAgent, { params, body: { webhookSchema } })
  t.like(await preview(), { replays: 0, leftOut: { schema: 2 } })
  const { body } = await replay()
  t.like(body, { replays: 0, leftOut: { schema: 2 } })
  t.regex(body.message, /2 deliveries are left out/)
  const [runId = ''] = (await runsOf(someone, agent)).map(({ id }) => id)
  t.is((await call(someone, replayRun, { params: { runId } })).failure.code, 'WEBHOOK_PAYLOAD_INVALID')
})

test('one request looks at a thousand failed deliveries, and says where the next one continues', async (t) => {
  const { database, agent, failed, preview } = await open()
  const [first = ''] = await failed(1)
  await database.raw(
    `insert into runs select (jsonb_populate_record(r, jsonb_build_object('id', uuidv7(), 'sequence', number))).*
       from runs r, generate_series(2, 1001) number where r.id = ?`,
    [first],
  )
  await database('agent_queues').where({ agentId: agent.id }).update({ lastSequence: 1001 })
  t.like(await preview(), { replays: 1, leftOut: { purged: 999 }, next: { from: 1001, to: 1001 } })
  t.like(await preview({ from: '1001' }), { replays: 0, leftOut: { purged: 1 }, next: null })
  t.like(await preview({ from: '2' }), { replays: 0, leftOut: { purged: 1000 }, next: null })
})

test('what an account may give to its runs at once is replayed, and the answer says where to continue', async (t) => {
  const { database, someone, agent, failed, replay } = await open()
  const ids = await failed(4)
  const payload = JSON.stringify({ text: 'x'.repeat(500 * 1024) })
  await database('run_inputs').whereIn('runId', ids).update({ payload })
  const limits = JSON.stringify({ inputBytesPerMinute: 1024 ** 2 })
  await database('accounts').where({ ownerId: agent.ownerId }).update({ limits })
  const { body } = await replay()
  t.like(body, { replays: 2, next: { from: 3, to: 4 }, stopped: { code: 'RATE_LIMITED' } })
  t.deepEqual((await replaysOf(someone, agent)).slice(4), ids.slice(0, 2))
  t.is((await replay(body.next ?? {})).failure.code, 'RATE_LIMITED', 'nothing could be replayed')
})

test('what its account may not start is not replayed, neither one by one nor together', async (t) => {
  const { platform, database, someone, agent, failed, replay } = await open()
  const [runId = ''] = await failed(1)
  const account = database('accounts').whereRaw('owner_id = (select owner_id from agents where id = ?)', [agent.id])
  const change = (fields: object) => account.clone().update(fields)
  const ends: [code: ErrorCode, end: () => Promise<unknown>][] = [
    ['FEATURE_LIMIT_REACHED', () => fillStore(platform, someone, 8 * 1024 ** 3)],
    ['NO_CREDITS', () => change({ balance: 0 })],
    ['SUBSCRIPTION_PAST_DUE', () => change({ subscriptionStatus: 'past_due' })],
    ['TIER_REQUIRED', () => change({ subscriptionStatus: 'active', tier: 'free', currentPeriodEnd: null })],
  ]
  for (const [code, end] of ends) {
    await end()
    for (const { failure } of [await replay(), await call(someone, replayRun, { params: { runId } })])
      t.is(failure.code, code)
  }
})

test('what the queue has no room for is not replayed, and the answer says where to continue', async (t) => {
  const { platform, someone, agent, fail, failed, replay } = await open()
  const ids = await failed(4)
  const waiting: string[] = []
  for (let number = 0; number < 118; number += 1) waiting.push((await deliver(platform, agent, { number })).body.runId)
  const { body } = await replay()
  t.like(body, { replays: 2, next: { from: 3, to: 122 }, stopped: { code: 'RATE_LIMITED' } })
  t.is((await replay(body.next ?? {})).failure.code, 'RATE_LIMITED', 'nothing could be replayed')
  for (const id of waiting.slice(0, 2)) await fail(id)
  t.like((await replay({ ...body.next, to: 4 })).body, { replays: 2, next: null, stopped: null })
  t.deepEqual(
    (await replaysOf(someone, agent)).filter((id) => id !== null),
    ids,
  )
})

test('requests at the same time replay each delivery once and keep the order, while others are delivered', async (t) => {
  const { platform, someone, agent, failed, replay } = await open()
  const ids = await failed(60)
  const deliveries = Array.from({ length: 10 }, (_, number) => deliver(platform, agent, { number }))
  const answers = await Promise.all([replay(), replay(), replay()])
  for (const { status } of await Promise.all(deliveries)) t.is(status, 202)
  t.is(
    answers.reduce((sum, { body }) => sum + body.replays, 0),
    60,
  )
  t.deepEqual(
    (await replaysOf(someone, agent)).filter((id) => id !== null),
    ids,
  )
})

test('a repeated delivery of a failed run says that it has failed, how to replay it, and what became of its replay', async (t) => {
  const { platform, someone, agent, fail, failed } = await open()
  const key = { 'idempotency-key': 'delivery-1' }
  const [id = ''] = await failed(1, [key])
  const again = async () => (await deliver(platform, agent, { number: 1 }, key)).body
  const first = await again()
  t.like(first, { runId: id, status: 'failed' })
  t.true(first.message?.includes(`POST /runs/${id}/replay`))
  t.is(first.replayedBy, undefined)

  const replay = (await call(someone, replayRun, { params: { runId: id } })).body.id
  const queued = await again()
  t.like(queued, { runId: id, status: 'failed', replayedBy: { runId: replay, status: 'queued' } })
  t.false(queued.message?.includes('POST'))
  await fail(replay)
  t.true((await again()).message?.includes(`POST /runs/${replay}/replay`))
  const second = (await call(someone, replayRun, { params: { runId: id } })).body.id
  t.like((await again()).replayedBy, { runId: second, status: 'queued' })
  t.is((await runsOf(someone, agent)).length, 3)
})
