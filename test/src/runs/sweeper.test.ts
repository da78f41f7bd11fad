import test from 'ava'
import { createServices, type Services } from '../../../src/services.ts'
import { createTestDatabase } from '../../helpers/database.ts'
import { customer, deliver, ended, webhookAgent } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { temporalAddress } from '../../helpers/temporal.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'

/** Over one database: a platform for which Temporal is away, and processes whose sweepers sweep when they are told to. */
const stage = forWholeFile(test, 'sweeper', async (t) => {
  const { url } = await createTestDatabase(t)
  const env = { DATABASE_URL: url, TASK_QUEUE: `sweeper-${process.pid}-${url.split('/').at(-1)}` }
  const cutOff = await startPlatform(t, { env: { ...env, TEMPORAL_ADDRESS: '127.0.0.1:1' } })
  const temporal = { ...cutOff.config.temporal, address: temporalAddress() }
  /** What the sweeper takes for a standstill, in seconds, and by how much its clock is fast, in milliseconds. */
  function processWith({ stallSeconds = 0.1, aheadMs = 0 } = {}): Services {
    const config = { ...cutOff.config, temporal, sweep: { ...cutOff.config.sweep, everySeconds: 60, stallSeconds } }
    const clock = { now: () => new Date(Date.now() + aheadMs) }
    const services = createServices(config, cutOff.services.logger, { clock })
    t.teardown(() => services.close())
    return services
  }
  await processWith().temporal.registerSearchAttributes()
  const { database } = cutOff.services
  let whole: ReturnType<typeof startPlatform> | undefined
  /** One that sweeps impatiently, and carries out everything; for the last tests. */
  async function startWhole() {
    await database('leases').delete()
    const impatience = { SWEEP_SECONDS: '0.3', STALL_SECONDS: '0.3' }
    return (whole ??= startPlatform(t, { worker: true, env: { ...env, ...impatience } }))
  }
  return { cutOff, database, someone: await customer(cutOff), processWith, startWhole }
})

type Stage = Awaited<ReturnType<typeof stage>>

/** When somebody last woke the agent. */
async function wokenAt({ database }: Stage, agentId: string): Promise<number> {
  const queue = (await database('agent_queues').where({ agentId }).first('signalledAt')) as { signalledAt: Date }
  return queue.signalledAt.getTime()
}

/** Has what is true of the agent's queue now be true for so long. */
const pass = ({ database }: Stage, agentId: string, seconds: number) =>
  database.raw(
    `update agent_queues set progressed_at = progressed_at - make_interval(secs => :seconds),
                             signalled_at = signalled_at - make_interval(secs => :seconds) where agent_id = :agentId`,
    { seconds, agentId },
  )

/** As if the process that sweeps had been gone for long enough. */
const endLease = ({ database }: Stage) =>
  database('leases')
    .where({ name: 'sweeper' })
    .update({ expiresAt: new Date(0) })

/** What sweepers have logged of the agent as one that makes no progress, by level. */
const levelsOf = (logs: string[], agentId: string) =>
  logs
    .map((line) => JSON.parse(line) as { level: number; agentId?: string; stalledSeconds?: number })
    .filter((line) => line.agentId === agentId && line.stalledSeconds !== undefined)
    .map(({ level }) => level)
const [debug, info] = [20, 30]

test.serial('of two sweepers one works, and the other takes over when it is gone', async (t) => {
  const opened = await stage()
  const { cutOff, someone, processWith } = opened
  const [one, other] = [processWith(), processWith()]
  const agent = await webhookAgent(someone)
  await one.sweeper.sweep()
  await deliver(cutOff, agent, { number: 1 })
  await pass(opened, agent.id, 60)
  const first = await wokenAt(opened, agent.id)
  await other.sweeper.sweep()
  t.is(await wokenAt(opened, agent.id), first, 'the other does not have the lease')
  t.is(await one.temporal.inspection.queue(agent.id), null)
  await one.sweeper.sweep()
  const second = await wokenAt(opened, agent.id)
  t.true(second > first)
  t.not(await one.temporal.inspection.queue(agent.id), null, 'Temporal knows of it')

  await pass(opened, agent.id, 60)
  await endLease(opened)
  await other.sweeper.sweep()
  t.true((await wokenAt(opened, agent.id)) > second - 60_000)
  await pass(opened, agent.id, 60)
  const third = await wokenAt(opened, agent.id)
  await one.sweeper.sweep()
  t.is(await wokenAt(opened, agent.id), third, 'now the first one does not have it')
})

test.serial('an agent that makes progress, or has nothing to do, is not woken', async (t) => {
  const opened = await stage()
  const { cutOff, someone, processWith } = opened
  const { sweeper } = processWith({ stallSeconds: 600 })
  const [idle, busy] = [await webhookAgent(someone), await webhookAgent(someone)]
  await deliver(cutOff, busy, { number: 1 })
  await pass(opened, idle.id, 700)
  await pass(opened, busy.id, 500)
  const before = await Promise.all([idle, busy].map(({ id }) => wokenAt(opened, id)))
  const sweep = async () => {
    await endLease(opened)
    await sweeper.sweep()
    return Promise.all([idle, busy].map(({ id }) => wokenAt(opened, id)))
  }
  t.deepEqual(await sweep(), before)
  await pass(opened, busy.id, 200)
  const after = await sweep()
  t.is(after[0], before[0], 'it has nothing to do')
  t.true(after[1]! > before[1]!, 'it makes no progress any more')
})

test('a process whose clock is fast takes no lease from others, and leaves none behind for longer than it said', async (t) => {
  const { database, processWith } = await stage()
  const [right, fast] = [processWith().lease, processWith({ aheadMs: 3_600_000 }).lease]
  t.true(await right.hold('one', 60))
  t.false(await fast.hold('one', 60))
  t.true(await fast.hold('other', 60))
  t.false(await right.hold('other', 60))
  const soon = database.raw(`statement_timestamp() + interval '60 s'`)
  t.is((await database('leases').where({ name: 'other' }).where('expiresAt', '<=', soon)).length, 1)
})

test.serial(
  'runs whose wake-up was lost, because Temporal was away when they were accepted, are carried out',
  async (t) => {
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

    const { logs } = await startWhole()
    for (const id of ids) t.is((await ended(someone, id)).status, 'completed')
    for (const { id } of agents) t.is(levelsOf(logs, id)[0], info)
  },
)

test.serial('a run that is under way for long is left alone: it is carried out once', async (t) => {
  const { someone, startWhole } = await stage()
  const whole = await startWhole()
  const agent = await webhookAgent(someone, { systemPrompt: '[[sleep 3]] [[say done]]' })
  const { runId } = (await deliver(whole, agent, { number: 1 })).body
  t.like(await ended(someone, runId), { status: 'completed', steps: 1, events: 5 }, 'no second execution took it up')
  const levels = levelsOf(whole.logs, agent.id)
  t.true(levels.includes(debug), 'it was woken, and the log does not make much of it')
})
