// @promise repeats
import test from 'ava'
import { workspaceOf } from '../../../helpers/workspaces.ts'
import { acceptingForFile, depth, errorOf, receiptOf, versionOf } from './open-accepting.ts'

/* Requests under a key that an earlier run has. */

const open = acceptingForFile(test)

test('a repeated request gets the receipt of its run with its present status, even if the queue is full', async (t) => {
  const { database, agentWith, accept, outcomes } = await open(t)
  const [agent, other] = [await agentWith({ unfinished: 2 }), await agentWith()]
  for (const bodyHash of ['aa', undefined]) {
    const request = agent.request({ idempotencyKey: `key ${bodyHash}`, bodyHash })
    const first = receiptOf((await accept([request], { depth: 4 })).decisions[0])
    t.deepEqual((await accept([request])).decisions, [{ receipt: first, isNew: false }])
    t.like(await agent.queueOf(), { lastSequence: first?.sequence })
    t.deepEqual(await outcomes([{ ...request, onlyIfIdle: true }]), [
      `repeated: queued ${first?.sequence}, behind ${first?.ahead}`,
    ])
    await database('runs').where({ id: first?.runId }).update({ status: 'cancelled', endedAt: new Date() })
    t.deepEqual((await accept([request])).decisions, [{ receipt: { ...first, status: 'cancelled' }, isNew: false }])
    const elsewhere = await outcomes([other.request({ idempotencyKey: `key ${bodyHash}` })])
    t.regex(elsewhere[0] ?? '', /^new/, 'a key belongs to its agent')
  }
  t.is((await agent.runsOf()).length, 2)
})

test('a repeated delivery to a full queue is refused like a new one, unless its version has ended', async (t) => {
  const { database, agentWith, outcomes } = await open(t)
  const agent = await agentWith({ unfinished: depth - 1 })
  const version = await versionOf(database, agent.id)
  const delivery = agent.request({
    idempotencyKey: 'key',
    judgedBy: { version, tokensPerMonth: Infinity, until: Infinity },
  })
  t.deepEqual(await outcomes([delivery]), ['new: queued 8, behind 2'])
  t.deepEqual(await outcomes([delivery]), ['RATE_LIMITED'])
  t.deepEqual(await outcomes([delivery], { depth: depth + 1 }), ['repeated: queued 8, behind 2'])
  const outdated = { ...delivery, judgedBy: { version: 'of before', tokensPerMonth: Infinity, until: Infinity } }
  t.deepEqual(await outcomes([outdated]), ['stale'])
})

test('a key that has another body, or that comes from before a move, is refused and changes nothing', async (t) => {
  const { database, owner, ownerId, agentWith, accept } = await open(t)
  const { id, request, runsOf, queueOf } = await agentWith()
  const keyed = { idempotencyKey: 'key', bodyHash: 'aa' }
  const { runId = '' } = receiptOf((await accept([request(keyed)])).decisions[0]) ?? {}
  const refusalOf = async (facts: object) => errorOf((await accept([request({ ...keyed, ...facts })])).decisions[0])
  for (const bodyHash of ['bb', undefined]) {
    const error = await refusalOf({ bodyHash, ownerId })
    t.is(error?.code, 'VALIDATION_ERROR')
    t.true(error?.message.startsWith(`Run ${runId} already used this idempotency key with a different body`))
  }
  t.is(await refusalOf({ ownerId }), undefined)

  const { id: later } = await workspaceOf(owner)
  await database('agents').where({ id }).update({ ownerId: later })
  t.is((await refusalOf({ ownerId }))?.code, 'AGENT_NOT_FOUND')
  const moved = await refusalOf({ ownerId: later })
  t.is(moved?.code, 'VALIDATION_ERROR')
  t.regex(moved?.message ?? '', /before the agent was moved here/)
  t.is(await refusalOf({}), undefined, 'a sender, who names no owner, repeats its delivery')
  t.is((await runsOf()).length, 1)
  t.like(await queueOf(), { lastSequence: 8, unfinished: 1 })
})
