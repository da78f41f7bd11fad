import test, { type ExecutionContext } from 'ava'
import * as agents from '../../../api/agents.ts'
import { AgentQueue, lockQueue } from '../../../src/runs/agent-queue.ts'
import { Run } from '../../../src/runs/run.ts'
import { call } from '../../helpers/client.ts'
import { eventually } from '../../helpers/eventually.ts'
import { hold } from '../../helpers/hold.ts'
import { agentOf, customer, deliver, webhookAgent, type Person } from '../../helpers/people.ts'
import { startPlatform, type Platform } from '../../helpers/platform.ts'

/** A webhook agent whose queue is blocked because the agent is paused. */
async function pausedAgent(platform: Platform, someone: Person) {
  const agent = await webhookAgent(someone)
  await call(someone, agents.pauseAgent, { params: { agentId: agent.id } })
  await deliver(platform, agent, { number: 1 })
  await platform.services.runs.claimNext(agent.id)
  return agent
}

test('a queue that somebody has locked does not keep the others from being opened, and is opened the next time', async (t) => {
  const platform = await startPlatform(t)
  const { database, runs } = platform.services
  const someone = await customer(platform)
  const [locked, free] = [await pausedAgent(platform, someone), await pausedAgent(platform, someone)]
  await database('agents').update({ pausedAt: null })
  const open = async () => (await runs.blockedQueues.open()).map(({ agentId }) => agentId)
  const letGo = await hold(database, (trx) => trx('agent_queues').where({ agentId: locked.id }).forUpdate())
  try {
    t.deepEqual(await open(), [free.id])
  } finally {
    await letGo()
  }
  t.deepEqual(await open(), [locked.id])
  t.deepEqual(await open(), [])
})

/** A manual agent of somebody whose credits are used up and whose subscription was not renewed, 40 days later. */
async function openUnpaid(t: ExecutionContext) {
  let now = new Date()
  const platform = await startPlatform(t, { clock: { now: () => now } })
  const { database } = platform.services
  const someone = await customer(platform)
  const agent = await agentOf(someone)
  await call(someone, agents.startRun, { params: { agentId: agent.id } })
  await database('accounts').update({ balance: 0 })
  const pass = (days: number) => (now = new Date(now.getTime() + days * dayMs))
  pass(40)
  const pay = (agentId: string) =>
    database('accounts')
      .whereIn('ownerId', database('agents').select('ownerId').where({ id: agentId }))
      .update({ currentPeriodEnd: new Date(now.getTime() + dayMs) })
  const queue = () => AgentQueue.query(database).findById(agent.id).throwIfNotFound()
  const run = () => Run.query(database).findOne({ agentId: agent.id }).throwIfNotFound()
  return { ...platform.services, agentId: agent.id, pay, pass, queue, run, now: () => now }
}

const dayMs = 24 * 60 * 60 * 1000

test('a queue without credits is not woken for a grant that is not made, because the subscription is not paid', async (t) => {
  const { runs, agentId, pay } = await openUnpaid(t)
  t.is(await runs.claimNext(agentId), null)
  t.deepEqual(await runs.blockedQueues.open(), [])
  await pay(agentId)
  t.is((await runs.blockedQueues.open()).length, 1)
  t.not(await runs.claimNext(agentId), null, 'the look at the account makes the grant')
})

test('many owners whose grant is not made do not keep the sweep from looking at one whose is', async (t) => {
  const { runs, database, agentId, pay } = await openUnpaid(t)
  await database('runs').update({ status: 'waiting', waitingCause: 'credits', waitingSince: new Date() })
  for (const table of ['users', 'accounts', 'agents', 'runs']) await database.raw(sixtyMore(table))
  await pay(agentId)
  await runs.parkedRuns.release()
  const paid = (await database('runs').whereNotNull('waitingUntil').select('agentId')) as { agentId: string }[]
  t.deepEqual(
    paid.map((run) => run.agentId),
    [agentId],
  )
})

test('a paused agent’s runs do not fail for want of credits; from its resuming on they have their time anew', async (t) => {
  const { agents: lifecycle, runs, why, database, agentId, pass, queue, run, now } = await openUnpaid(t)
  t.is(await runs.claimNext(agentId), null)
  t.like(await queue(), { blockedCause: 'credits', blockedSince: now() })
  const agent = await lifecycle.forSender(agentId)
  const pausedAt = pass(0.5)
  await lifecycle.pause(agent)
  t.like(await queue(), { blockedCause: 'paused', blockedSince: pausedAt })
  pass(2)
  await runs.blockedQueues.expire()
  t.is((await run()).status, 'queued')
  const { causes } = await why.ofAgent(agent)
  t.like(causes, { 0: { code: 'CREDITS', until: null }, 1: { code: 'PAUSED', since: pausedAt } })

  await lifecycle.resume(agent)
  await runs.resumeAgent(agentId)
  t.true((await queue()).awake)
  t.is(await runs.claimNext(agentId), null)
  t.like(await queue(), { blockedCause: 'credits', blockedSince: now() })
  t.is((await database('notifications').where({ kind: 'queue_blocked' })).length, 2, 'the owner is told anew')
  pass(2)
  await runs.blockedQueues.expire()
  t.like(await run(), { status: 'failed', reason: 'NO_CREDITS' })
})

test('a queue that is blocked in the very moment of the pause is kept by the pause, too', async (t) => {
  const { agents: lifecycle, database, agentId, queue, now } = await openUnpaid(t)
  const claim = await database.transaction()
  await lockQueue(claim, agentId)
  const pausing = lifecycle.pause(await lifecycle.forSender(agentId))
  try {
    await eventually(10, 'the pause waits for the queue', async () => {
      const waiting = await database('pg_stat_activity')
        .whereRaw('datname = current_database()')
        .where({ wait_event_type: 'Lock' })
      return waiting.length > 0 || undefined
    })
    await AgentQueue.query(claim).findById(agentId).patch({ blockedCause: 'credits', blockedSince: now() })
  } finally {
    await claim.commit()
  }
  await pausing
  t.is((await queue()).blockedCause, 'paused')
})

test('the queue of a deleted agent is neither opened nor made to fail: its runs are cancelled', async (t) => {
  const { agents: lifecycle, runs, agentId, pay, pass, queue, run } = await openUnpaid(t)
  t.is(await runs.claimNext(agentId), null)
  t.is((await queue()).blockedCause, 'credits')
  await lifecycle.remove(await lifecycle.forSender(agentId))
  pass(2)
  await runs.blockedQueues.expire()
  t.is((await run()).status, 'queued')
  await pay(agentId)
  t.deepEqual(await runs.blockedQueues.open(), [])
  await runs.deletedAgents.cancelRuns()
  t.like(await run(), { status: 'cancelled', reason: 'AGENT_DELETED' })
})

/** Copies the table's only row for sixty others, who come before it in the order of their ids. */
const sixtyMore = (table: string): string =>
  `insert into ${table} select (jsonb_populate_record(t, jsonb_build_object(
     'id', '00-' || n, 'owner_id', '00-' || n, 'agent_id', '00-' || n, 'email', n || '@example.com'))).*
     from ${table} t, generate_series(1, 60) n`
