// @promise order
import test from 'ava'
import { newId } from '../../../../src/ids.ts'
import type { AcceptRequest } from '../../../../src/runs/accept/receipt.ts'
import { deleteAgent } from '../../../../api/agents.ts'
import { call } from '../../../helpers/client.ts'
import { acceptingForFile, depth, errorOf, receiptOf } from './open-accepting.ts'

const open = acceptingForFile(test)

test('requests are numbered in the order in which they come, each behind those that have not ended', async (t) => {
  const { database, ownerId, agentWith, accept } = await open(t)
  const agent = await agentWith({ unfinished: 1 })
  const requests = [agent.request(), agent.request()]
  const { decisions } = await accept(requests)
  t.like(receiptOf(decisions[0]), { status: 'queued', sequence: 8, ahead: 1 })
  t.like(receiptOf(decisions[1]), { status: 'queued', sequence: 9, ahead: 2 })
  t.like(await agent.queueOf(), { lastSequence: 9, unfinished: 3, awake: true })
  const runs = (await agent.runsOf()) as Record<string, unknown>[]
  for (const [index, { requestId }] of requests.entries())
    t.like(runs[index], {
      id: receiptOf(decisions[index])?.runId,
      ownerId,
      sequence: 8 + index,
      trigger: 'webhook',
      status: 'queued',
      requestId,
      events: 1,
      endedAt: null,
    })
  const events = database('run_events').where({ runId: receiptOf(decisions[1])?.runId })
  t.like(await events, { 0: { number: 1, kind: 'accepted' }, length: 1 })
  t.deepEqual(await events.pluck('data'), [{ trigger: 'webhook', sequence: 9, ahead: 2 }])
  t.deepEqual(await database('idempotency_keys').where({ agentId: agent.id }), [], 'without a key none is kept')
})

test('an agent that is unknown or deleted, or that another owner has, is not found', async (t) => {
  const { owner, ownerId, agentWith, outcomes } = await open(t)
  const [agent, deleted] = [await agentWith(), await agentWith()]
  t.is((await call(owner, deleteAgent, { params: { agentId: deleted.id } })).status, 204)
  const keyed = { ownerId: newId(), idempotencyKey: 'key' }
  const requests = [{ ...agent.request(), agentId: newId() }, deleted.request(), agent.request(keyed)]
  for (const waits of [false, true])
    t.deepEqual(await outcomes(requests, { waits }), ['AGENT_NOT_FOUND', 'AGENT_NOT_FOUND', 'AGENT_NOT_FOUND'])
  t.deepEqual(await agent.runsOf(), [])
  t.deepEqual(await outcomes([agent.request({ ownerId, idempotencyKey: 'key' })]), ['new: queued 8, behind 0'])
})

test('a queue takes as many runs as it may hold, and refuses the next one unchanged', async (t) => {
  const { database, agentWith, accept } = await open(t)
  for (const unfinished of [depth - 1, depth]) {
    const agent = await agentWith({ unfinished })
    const requests = [1, 2].map((number) => agent.request({ idempotencyKey: `key ${number}` }))
    const { decisions, stored } = await accept(requests)
    const taken = depth - unfinished
    t.is(receiptOf(decisions[0])?.sequence, taken === 1 ? 8 : undefined)
    t.like(errorOf(decisions[1]), { code: 'RATE_LIMITED', retryAfter: 60 })
    t.regex(errorOf(decisions[1])?.message ?? '', /\(3 unfinished runs\)/)
    t.like(await agent.queueOf(), { lastSequence: 7 + taken, unfinished: depth })
    t.is(stored.length, taken)
    t.is((await agent.runsOf()).length, taken)
    t.is((await database('idempotency_keys').where({ agentId: agent.id })).length, taken)
  }
})

test('a manual run is refused while another has not ended', async (t) => {
  const { agentWith, outcomes } = await open(t)
  const [busy, idle] = [await agentWith({ unfinished: 1 }), await agentWith()]
  const manual = { trigger: 'manual', onlyIfIdle: true } as const
  const requests = [busy.request(manual), idle.request(manual)]
  t.deepEqual(await outcomes(requests), ['AGENT_ALREADY_RUNNING', 'new: queued 8, behind 0'])
  t.like(await busy.queueOf(), { lastSequence: 7, unfinished: 1, awake: false })
  const full = await agentWith({ unfinished: depth })
  t.deepEqual(await outcomes([full.request(manual)]), ['AGENT_ALREADY_RUNNING'], 'busy goes before full')
})

test('a fire is skipped while another run has not ended, even if the queue is full, with its two events', async (t) => {
  const { database, agentWith, outcomes } = await open(t)
  const fire = { trigger: 'scheduled', skipUnlessIdle: true } as const
  for (const unfinished of [1, depth]) {
    const agent = await agentWith({ unfinished, awake: true })
    t.deepEqual(await outcomes([agent.request(fire)]), [`new: skipped 8, behind ${unfinished}`])
    t.like(await agent.queueOf(), { lastSequence: 8, unfinished }, 'a skipped run takes a number, and no place')
    const [run] = (await agent.runsOf()) as { id: string; endedAt: Date | null; error: string }[]
    t.like(run, { status: 'skipped', reason: 'OVERLAP', events: 2 })
    t.true(run?.endedAt instanceof Date)
    const events = await database('run_events').where({ runId: run?.id }).orderBy('number').select('kind', 'data')
    const ending = { status: 'skipped', reason: 'OVERLAP', message: run?.error }
    t.deepEqual(events, [
      { kind: 'accepted', data: { trigger: 'scheduled', sequence: 8, ahead: unfinished } },
      { kind: 'ended', data: ending },
    ])
  }
  const idle = await agentWith()
  t.deepEqual(await outcomes([idle.request(fire)], { depth: 0 }), ['RATE_LIMITED'])
  t.deepEqual(await outcomes([idle.request(fire)]), ['new: queued 8, behind 0'])
  const full = await agentWith({ unfinished: depth })
  t.deepEqual(await outcomes([full.request({ skipUnlessIdle: false })]), ['RATE_LIMITED'])
})

test('a replay names the run, and the first of a chain of replays', async (t) => {
  const { agentWith, accept } = await open(t)
  const agent = await agentWith()
  const replay = async (replayOf?: string) =>
    receiptOf((await accept([agent.request({ replayOf })])).decisions[0])?.runId
  const first = await replay()
  const second = await replay(first)
  const third = await replay(second)
  t.like((await agent.runsOf()).slice(1), [
    { id: second, replayOf: first, firstRunId: first },
    { id: third, replayOf: second, firstRunId: first },
  ])
})

test('whatever is refused between them, the runs of a batch are numbered without a gap', async (t) => {
  const { agentWith, outcomes } = await open(t)
  const [agent, busy] = [await agentWith(), await agentWith({ unfinished: 1 })]
  const keyed = (idempotencyKey: string, bodyHash: string): AcceptRequest => agent.request({ idempotencyKey, bodyHash })
  await outcomes([keyed('earlier', 'aa')])
  const requests = [
    agent.request({ judgedBy: { version: 'of before', tokensPerMonth: 1, until: Infinity } }),
    agent.request(),
    agent.request({ ownerId: newId() }),
    keyed('earlier', 'bb'),
    busy.request({ onlyIfIdle: true }),
    keyed('key', 'aa'),
    keyed('key', 'aa'),
    agent.request(),
    agent.request(),
    busy.request(),
  ]
  t.deepEqual(await outcomes(requests, { depth: 4 }), [
    'stale',
    'new: queued 9, behind 1',
    'AGENT_NOT_FOUND',
    'VALIDATION_ERROR',
    'AGENT_ALREADY_RUNNING',
    'new: queued 10, behind 2',
    'again',
    'new: queued 11, behind 3',
    'RATE_LIMITED',
    'again',
  ])
  const sequences = (await agent.runsOf()) as { sequence: number }[]
  t.deepEqual(
    sequences.map(({ sequence }) => sequence),
    [8, 9, 10, 11],
  )
  t.like(await agent.queueOf(), { lastSequence: 11, unfinished: 4 })
})
