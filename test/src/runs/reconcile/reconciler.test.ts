// @promise repairs
import test from 'ava'
import { updateAgent } from '../../../../api/agents.ts'
import { createServices, type Services } from '../../../../src/services.ts'
import { append } from '../../../../src/runs/timeline.ts'
import { call } from '../../../helpers/client.ts'
import { createTestDatabase } from '../../../helpers/database.ts'
import { hold, untilBlocked } from '../../../helpers/hold.ts'
import { customer, deliver, ended, webhookAgent } from '../../../helpers/people.ts'
import { startPlatform } from '../../../helpers/platform.ts'
import { stall } from '../../../helpers/runs.ts'
import { temporalAddress } from '../../../helpers/temporal.ts'
import { forWholeFile } from '../../../helpers/whole-file.ts'

/** Over one database: a platform for which Temporal is away, and processes that reconcile when they are told to. */
const stage = forWholeFile(test, 'reconciler', async (t) => {
  const { url } = await createTestDatabase(t)
  const env = { DATABASE_URL: url, TASK_QUEUE: `reconciler-${process.pid}-${url.split('/').at(-1)}` }
  const cutOff = await startPlatform(t, { env: { ...env, TEMPORAL_ADDRESS: '127.0.0.1:1' } })
  const temporal = { ...cutOff.config.temporal, address: temporalAddress() }
  function processHere(aheadMs = 0): Services {
    const clock = { now: () => new Date(Date.now() + aheadMs) }
    const services = createServices({ ...cutOff.config, temporal }, cutOff.services.logger, { clock })
    t.teardown(() => services.close())
    return services
  }
  await processHere().temporal.registerSearchAttributes()
  const { database } = cutOff.services
  let whole: ReturnType<typeof startPlatform> | undefined
  /** One that is impatient, and carries out everything; for the last tests. */
  const startWhole = () =>
    (whole ??= startPlatform(t, { worker: true, env: { ...env, RECONCILE_SECONDS: '0.3', STALL_SECONDS: '0.3' } }))
  return { cutOff, database, someone: await customer(cutOff), processHere, startWhole }
})

/** A process that reconciles, and an agent with a delivery whose wake-up was lost. */
async function stalled() {
  const { cutOff, someone, processHere } = await stage()
  const services = processHere()
  const agent = await webhookAgent(someone)
  await deliver(cutOff, agent, { number: 1 })
  return { someone, processHere, services, agent, database: services.database, runs: services.runs }
}

/** The same when the run has begun, and nothing has happened for long. */
async function begun() {
  const opened = await stalled()
  const run = await opened.runs.queue.claimNext(opened.agent.id)
  await stall(opened.services, opened.agent.id)
  return { ...opened, run: run! }
}

const dueOf = async ({ database }: Services, agentId: string): Promise<number[]> => {
  const rows = (await database('dueAgents').where({ agentId }).orderBy('dueAt')) as { dueAt: Date }[]
  return rows.map(({ dueAt }) => (dueAt.getTime() - Date.now()) / 1000)
}

test.serial('later rows of an agent are dropped when it is due before, and earlier ones stay', async (t) => {
  const { someone, processHere } = await stage()
  const { due, database } = processHere()
  const { id: agentId } = await webhookAgent(someone)
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000)
  await database('dueAgents').where({ agentId }).delete()
  for (const seconds of [10, 60, 90]) await due.agent(database, agentId, inSeconds(seconds))
  await due.reschedule([{ agentId, rows: [], nextAt: inSeconds(30) }])
  const left = (await dueOf(processHere(), agentId)).map((seconds) => Math.round(seconds / 10) * 10)
  t.deepEqual(left, [10, 30])
})

test.serial('the grant of a new month makes the agents of its owner due', async (t) => {
  const { cutOff, processHere } = await stage()
  const someone = await customer(cutOff)
  const agent = await webhookAgent(someone)
  await deliver(cutOff, agent, { number: 1 })
  const later = processHere(32 * 24 * 60 * 60_000)
  await later.database('dueAgents').where({ agentId: agent.id }).delete()
  const { ownerId } = (await later.database('agents').where({ id: agent.id }).first('ownerId')) as { ownerId: string }
  await later
    .database('accounts')
    .where({ ownerId })
    .update({ currentPeriodEnd: new Date('2100-01-01') })
  await later.billing.account(ownerId)
  t.is((await dueOf(later, agent.id)).length, 1)
  await later.billing.account(ownerId)
  t.is((await dueOf(later, agent.id)).length, 1, 'once')
})

test.serial('an agent is due as soon as its cap or its sites are changed', async (t) => {
  const { someone, processHere } = await stage()
  const services = processHere()
  const agent = await webhookAgent(someone)
  const params = { agentId: agent.id }
  for (const body of [{ creditsPerMonth: 5 }, { creditsPerMonth: 6 }, { creditsPerMonth: null }, { sites: [] }]) {
    await services.database('dueAgents').where(params).delete()
    t.is((await call(someone, updateAgent, { params, body })).status, 200)
    const [inSeconds = Infinity] = await dueOf(services, agent.id)
    t.true(inSeconds <= 0, JSON.stringify(body))
  }
})

test.serial('an agent that is due is taken by one process, and by another if that one dies', async (t) => {
  const { cutOff, someone, processHere } = await stage()
  const [one, other, later] = [processHere(), processHere(), processHere(20_000)]
  const agent = await webhookAgent(someone)
  await deliver(cutOff, agent, { number: 1 })
  await stall(one, agent.id)
  await one.database('dueAgents').where({ agentId: agent.id }).update({ dueAt: new Date() })
  const takenBy = async ({ due }: Services) => (await due.take(15)).filter(({ agentId }) => agentId === agent.id).length
  t.is(await takenBy(one), 1)
  t.is(await takenBy(other), 0)
  t.is(await takenBy(later), 1)
  await one.database('dueAgents').where({ agentId: agent.id }).update({ dueAt: new Date() })
  await one.runs.reconciler.round()
  t.not(await one.temporal.inspection.queue(agent.id), null, 'it was started')
  const [again = 0] = await dueOf(one, agent.id)
  t.true(again > 5 && again <= one.config.reconcile.stallSeconds)
})

test.serial('what becomes due while another agent is waited for is handled in the same round', async (t) => {
  const { cutOff, someone, processHere } = await stage()
  const services = processHere()
  const { database, runs, temporal } = services
  const [locked, free] = [await webhookAgent(someone), await webhookAgent(someone)]
  for (const agent of [locked, free]) {
    await deliver(cutOff, agent, { number: 1 })
    await stall(services, agent.id)
  }
  await database('dueAgents').delete()
  await services.due.agent(database, locked.id)
  const letGo = await hold(database, (trx) => trx('agent_queues').where({ agentId: locked.id }).forUpdate())
  try {
    const round = runs.reconciler.round()
    await untilBlocked(database)
    await services.due.agent(database, free.id)
    await round
  } finally {
    await letGo()
  }
  t.not(await temporal.inspection.queue(free.id), null)
})

test.serial('a cancel that is to be forced is not put off by another repair', async (t) => {
  const { services, agent, database, runs, run } = await begun()
  const { config } = services
  await database('runs').where({ id: run.runId }).update({ cancelRequestedAt: new Date() })
  await database('dueAgents').delete()
  await runs.reconciler.reconcileNow(agent.id)
  t.like(await database('runs').where({ id: run.runId }).first(), { epoch: run.epoch + 1 }, 'it was restarted')
  const [again = Infinity] = await dueOf(services, agent.id)
  t.true(again <= config.cancelSeconds && config.cancelSeconds < config.reconcile.stallSeconds)
})

test.serial('a run that goes on while its agent is looked at keeps its epoch', async (t) => {
  const { agent, database, runs, run } = await begun()
  const going = await database.transaction()
  await going('agent_queues').where({ agentId: agent.id }).forUpdate()
  const looking = runs.reconciler.reconcileNow(agent.id)
  try {
    await untilBlocked(database)
    await append(going, run.runId, new Date(), [{ kind: 'step.started', data: { step: 1, attempt: 1 } }])
  } finally {
    await going.commit()
  }
  await looking
  t.like(await database('runs').where({ agentId: agent.id }).first(), { epoch: run.epoch })
})

test.serial('an agent with nothing to do is not due any more', async (t) => {
  const { services, agent, run } = await begun()
  await services.runs.ending.end(run, { status: 'completed', reason: null })
  t.is((await dueOf(services, agent.id)).length, 1)
  await services.database('dueAgents').where({ agentId: agent.id }).update({ dueAt: new Date() })
  await services.runs.reconciler.round()
  t.deepEqual(await dueOf(services, agent.id), [])
})

test.serial(
  'an agent that has something to do, or a queue row that contradicts its runs, is made due if it is not',
  async (t) => {
    const { services, someone, agent, database } = await stalled()
    const idle = await webhookAgent(someone)
    await database('dueAgents').delete()
    for (const what of ['its rows are gone', 'it is due already']) {
      await services.forgotten.mark()
      t.is((await dueOf(services, agent.id)).length, 1, what)
      t.deepEqual(await dueOf(services, idle.id), [], what)
    }
    await database('dueAgents').update({ dueAt: new Date(Date.now() + 60_000) })
    await database('agentQueues').where({ agentId: idle.id }).update({ unfinished: 7 })
    await services.forgotten.mark()
    t.is((await dueOf(services, idle.id)).length, 1)
    t.is((await dueOf(services, agent.id)).length, 1, 'it is due later')
    await services.runs.reconciler.reconcileNow(idle.id)
  },
)

test('a process whose clock is fast takes no lease from others, and leaves none behind for longer than it said', async (t) => {
  const { database, processHere } = await stage()
  const [right, fast] = [processHere().lease, processHere(3_600_000).lease]
  t.true(await right.hold('one', 60))
  t.false(await fast.hold('one', 60))
  t.true(await fast.hold('other', 60))
  t.false(await right.hold('other', 60))
  const soon = database.raw(`statement_timestamp() + interval '60 s'`)
  t.is((await database('leases').where({ name: 'other' }).where('expiresAt', '<=', soon)).length, 1)
})

test.serial('runs whose wake-up was lost, because Temporal was away, are carried out', async (t) => {
  const { cutOff, someone, startWhole } = await stage()
  const agents = await Promise.all([1, 2, 3, 4].map(() => webhookAgent(someone)))
  const began = Date.now()
  const ids: string[] = []
  for (const agent of [...agents, ...agents.slice(-1)]) {
    const { status, body } = await deliver(cutOff, agent, { number: ids.length })
    t.is(status, 202, 'an accepted run is accepted although Temporal is away')
    ids.push(body.runId)
  }
  // Each of the four would have waited for the two seconds that Temporal is given.
  t.true(Date.now() - began < 7000, 'and nobody waits for Temporal')

  // As if its time had come.
  await cutOff.services.database('dueAgents').update({ dueAt: new Date() })
  await startWhole()
  for (const id of ids) t.is((await ended(someone, id)).status, 'completed')
})

test.serial('a run that is under way for long is left alone: it is carried out once', async (t) => {
  const { someone, startWhole } = await stage()
  const whole = await startWhole()
  const agent = await webhookAgent(someone, { systemPrompt: '[[sleep 3]] [[say done]]' })
  const { runId } = (await deliver(whole, agent, { number: 1 })).body
  t.like(await ended(someone, runId), { status: 'completed', steps: 1, events: 5 }, 'no second execution took it up')
})
