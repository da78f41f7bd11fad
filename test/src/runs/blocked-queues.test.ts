import test, { type ExecutionContext } from 'ava'
import * as agents from '../../../api/agents.ts'
import { call } from '../../helpers/client.ts'
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
  now = new Date(now.getTime() + 40 * dayMs)
  const pay = (agentId: string) =>
    database('accounts')
      .whereIn('ownerId', database('agents').select('ownerId').where({ id: agentId }))
      .update({ currentPeriodEnd: new Date(now.getTime() + dayMs) })
  return { ...platform.services, agentId: agent.id, pay }
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

/** Copies the table's only row for sixty others, who come before it in the order of their ids. */
const sixtyMore = (table: string): string =>
  `insert into ${table} select (jsonb_populate_record(t, jsonb_build_object(
     'id', '00-' || n, 'owner_id', '00-' || n, 'agent_id', '00-' || n, 'email', n || '@example.com'))).*
     from ${table} t, generate_series(1, 60) n`
