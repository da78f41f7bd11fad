import test from 'ava'
import * as agentRuns from '../../../../api/agent-runs.ts'
import { AgentQueue, lockQueue } from '../../../../src/runs/agent-queue.ts'
import { Run } from '../../../../src/runs/run.ts'
import { call } from '../../../helpers/client.ts'
import { untilBlocked } from '../../../helpers/hold.ts'
import { agentOf, customer } from '../../../helpers/people.ts'
import { startPlatform } from '../../../helpers/platform.ts'
import { forWholeFile } from '../../../helpers/whole-file.ts'

/** The present of all tests of this file, which is why they follow one another. */
let now = new Date()
const house = forWholeFile(test, 'blocked queues', (t) => startPlatform(t, { clock: { now: () => now } }))

/** A manual agent of somebody whose credits are used up and whose subscription was not renewed, 40 days later. */
async function openUnpaid() {
  now = new Date()
  const platform = await house()
  const { database } = platform.services
  const someone = await customer(platform)
  const agent = await agentOf(someone)
  await call(someone, agentRuns.startRun, { params: { agentId: agent.id } })
  const { ownerId } = (await database('agents').where({ id: agent.id }).first('ownerId')) as { ownerId: string }
  await database('accounts').where({ ownerId }).update({ balance: 0 })
  const pass = (days: number) => (now = new Date(now.getTime() + days * dayMs))
  pass(40)
  const pay = () =>
    database('accounts')
      .where({ ownerId })
      .update({ currentPeriodEnd: new Date(now.getTime() + dayMs) })
  const queue = () => AgentQueue.query(database).findById(agent.id).throwIfNotFound()
  const run = () => Run.query(database).findOne({ agentId: agent.id }).throwIfNotFound()
  return { ...platform.services, agentId: agent.id, ownerId, pay, pass, queue, run, now: () => now }
}

const dayMs = 24 * 60 * 60 * 1000

test.serial('a queue without credits is not woken for a grant that is not made', async (t) => {
  const { runs, database, agentId, pay, queue, now: present } = await openUnpaid()
  await database('due_agents').where({ agentId }).delete()
  t.is(await runs.queue.claimNext(agentId), null)
  t.is((await database('due_agents').where({ agentId, dueAt: present() })).length, 1, 'the block may have just ended')
  await runs.reconciler.reconcileNow(agentId)
  t.false((await queue()).awake)
  await pay()
  await runs.reconciler.reconcileNow(agentId)
  t.true((await queue()).awake)
  t.not(await runs.queue.claimNext(agentId), null, 'the look at the account makes the grant')
  t.like(await queue(), { blockedCause: null, blockedSince: null })
})

test.serial('a block goes on when one charge takes the place of another, and is told of once', async (t) => {
  const { runs, database, agentId, ownerId, pass, queue, now } = await openUnpaid()
  const since = now()
  await database('accounts').where({ ownerId }).update({ subscriptionStatus: 'past_due' })
  for (const [trigger, blockedCause] of [
    ['manual', 'credits'],
    ['webhook', 'past_due'],
    ['manual', 'credits'],
  ] as const) {
    await database('runs').where({ agentId }).update({ trigger })
    t.is(await runs.queue.claimNext(agentId), null)
    t.like(await queue(), { blockedCause, blockedSince: since })
    pass(0.1)
  }
  t.is((await database('notifications').where({ kind: 'queue_blocked', ownerId })).length, 1)
})

// @promise waits
test.serial('runs of a paused agent do not fail for want of credits, and then have their time', async (t) => {
  const { agents: lifecycle, runs, why, database, agentId, ownerId, pass, queue, run, now } = await openUnpaid()
  t.is(await runs.queue.claimNext(agentId), null)
  t.like(await queue(), { blockedCause: 'credits', blockedSince: now() })
  const agent = await lifecycle.forSender(agentId)
  const pausedAt = pass(0.5)
  await lifecycle.pause(agent)
  t.like(await queue(), { blockedCause: 'paused', blockedSince: pausedAt })
  pass(2)
  await runs.reconciler.reconcileNow(agentId)
  t.is((await run()).status, 'queued')
  const { causes } = await why.ofAgent(agent)
  t.like(causes, { 0: { code: 'CREDITS', until: null }, 1: { code: 'PAUSED', since: pausedAt } })

  await lifecycle.resume(agent)
  await runs.reconciler.reconcileNow(agentId)
  t.true((await queue()).awake)
  t.is(await runs.queue.claimNext(agentId), null)
  t.like(await queue(), { blockedCause: 'credits', blockedSince: now() })
  t.is((await database('notifications').where({ kind: 'queue_blocked', ownerId })).length, 2, 'the owner is told anew')
  pass(2)
  await runs.reconciler.reconcileNow(agentId)
  t.like(await run(), { status: 'failed', reason: 'NO_CREDITS' })
})

test.serial('a queue that is blocked in the very moment of the pause is kept by the pause, too', async (t) => {
  const { agents: lifecycle, database, agentId, queue, now } = await openUnpaid()
  const claim = await database.transaction()
  await lockQueue(claim, agentId)
  const pausing = lifecycle.pause(await lifecycle.forSender(agentId))
  try {
    await untilBlocked(database)
    await AgentQueue.query(claim).findById(agentId).patch({ blockedCause: 'credits', blockedSince: now() })
  } finally {
    await claim.commit()
  }
  await pausing
  t.is((await queue()).blockedCause, 'paused')
})

test.serial('the queue of a deleted agent is neither opened nor made to fail: its runs are cancelled', async (t) => {
  const { agents: lifecycle, runs, agentId, pay, pass, queue, run } = await openUnpaid()
  t.is(await runs.queue.claimNext(agentId), null)
  t.is((await queue()).blockedCause, 'credits')
  await lifecycle.remove(await lifecycle.forSender(agentId))
  pass(2)
  await pay()
  await runs.reconciler.reconcileNow(agentId)
  t.like(await run(), { status: 'cancelled', reason: 'AGENT_DELETED' })
})

test.serial('a run whose queue was opened in the very moment in which it would fail does not', async (t) => {
  const { database, runs, agentId, pass, run } = await openUnpaid()
  t.is(await runs.queue.claimNext(agentId), null)
  pass(2)
  const opening = await database.transaction()
  await lockQueue(opening, agentId)
  const looking = runs.reconciler.reconcileNow(agentId)
  try {
    await untilBlocked(database)
    await AgentQueue.query(opening).findById(agentId).patch({ awake: true })
  } finally {
    await opening.commit()
  }
  await looking
  t.is((await run()).status, 'queued')
})
