import test from 'ava'
import { createTestDatabase } from '../../helpers/database.ts'
import { eventually } from '../../helpers/eventually.ts'
import { customer, deliver, ended, webhookAgent } from '../../helpers/people.ts'
import { startPlatform, type Platform } from '../../helpers/platform.ts'

/** Settings of several platforms over one database and one task queue; the sweeper is impatient. */
async function shared(t: Parameters<typeof createTestDatabase>[0]) {
  const { url } = await createTestDatabase(t)
  return {
    DATABASE_URL: url,
    TASK_QUEUE: `sweeper-${process.pid}-${url.split('/').at(-1)}`,
    SWEEP_SECONDS: '1',
    STALL_SECONDS: '1',
  }
}

const nowhere = { TEMPORAL_ADDRESS: '127.0.0.1:1' }
const wakings = ({ logs }: Platform): number => logs.filter((line) => line.includes('makes no progress')).length
const wakingsAt = (level: 'info' | 'debug', platform: Platform): number =>
  wakings({ ...platform, logs: platform.logs.filter((line) => line.includes(`"level":${levels[level]},`)) })
const levels = { debug: 20, info: 30 }

test('runs whose wake-up was lost, because Temporal was away when they were accepted, are carried out', async (t) => {
  const env = await shared(t)
  const cutOff = await startPlatform(t, { env: { ...env, ...nowhere } })
  const someone = await customer(cutOff)
  const agent = await webhookAgent(someone)
  const began = Date.now()
  const ids: string[] = []
  for (let number = 1; number <= 3; number += 1) {
    const { status, body } = await deliver(cutOff, agent, { number })
    t.is(status, 202, 'an accepted run is accepted although Temporal is away')
    ids.push(body.runId)
  }
  t.true(Date.now() - began < 2000, 'and nobody waits for Temporal')

  const whole = await startPlatform(t, { worker: true, env })
  for (const id of ids) t.is((await ended(someone, id)).status, 'completed')
  t.true(wakingsAt('info', whole) >= 1)
})

test('of two sweepers one works, and the other takes over when it is gone', async (t) => {
  const env = await shared(t)
  const cutOff = await startPlatform(t, { env: { ...env, ...nowhere } })
  const someone = await customer(cutOff)
  const agent = await webhookAgent(someone)
  const one = await startPlatform(t, { env })
  const other = await startPlatform(t, { env })
  await one.services.temporal.registerSearchAttributes()

  await one.services.sweeper.sweep()
  await deliver(cutOff, agent, { number: 1 })
  await eventually(10, 'the holder wakes the agent', async () => {
    await other.services.sweeper.sweep()
    await one.services.sweeper.sweep()
    return wakings(one) > 0 || undefined
  })
  t.is(wakings(other), 0)

  await eventually(20, 'the other takes over', async () => {
    await other.services.sweeper.sweep()
    return wakings(other) > 0 || undefined
  })
})

test('a process whose clock is fast takes no lease from others, and leaves none behind for longer than it said', async (t) => {
  const { DATABASE_URL } = await shared(t)
  const clockAhead = (ms: number) => ({ now: () => new Date(Date.now() + ms) })
  const env = { DATABASE_URL, ...nowhere }
  const right = (await startPlatform(t, { env })).services.lease
  const fast = (await startPlatform(t, { env, clock: clockAhead(3_600_000) })).services.lease
  t.true(await right.hold('one', 60))
  t.false(await fast.hold('one', 60))
  t.true(await fast.hold('other', 3))
  t.false(await right.hold('other', 1))
  await eventually(10, 'the other lease is over', async () => (await right.hold('other', 1)) || undefined)
})

test('an agent that makes progress, or has nothing to do, is not woken', async (t) => {
  const env = { ...(await shared(t)), STALL_SECONDS: '600' }
  const platform = await startPlatform(t, { env: { ...env, ...nowhere } })
  const someone = await customer(platform)
  await webhookAgent(someone)
  const busy = await webhookAgent(someone)
  await deliver(platform, busy, { number: 1 })
  await platform.services.sweeper.sweep()
  t.is(wakings(platform), 0)
})

test('a run that is under way for long is left alone: it is carried out once', async (t) => {
  const platform = await startPlatform(t, { worker: true, env: { SWEEP_SECONDS: '1', STALL_SECONDS: '1' } })
  const someone = await customer(platform)
  const agent = await webhookAgent(someone, { systemPrompt: '[[sleep 5]] [[say done]]' })
  const { runId } = (await deliver(platform, agent, { number: 1 })).body
  const run = await ended(someone, runId)
  t.like(run, { status: 'completed', steps: 1, events: 5 }, 'no second execution took it up')
  t.true(wakingsAt('debug', platform) >= 1, 'nor does the log make much of it')
})
