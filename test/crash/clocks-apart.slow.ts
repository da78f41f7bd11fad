import test from 'ava'
import { aheadBy } from '../helpers/clock.ts'
import { eventually } from '../helpers/eventually.ts'
import { agentOf, customer, deliver, ended, timelineOf, webhookAgent } from '../helpers/people.ts'
import { cancel, dataOf, start } from '../helpers/runs.ts'
import { startSites } from '../helpers/sites.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { callDirectly, historyOf, isLeased, openOwner, refreshesAt, untilExpired } from './refresh-stage.ts'
import { connected, openStage } from './stage.ts'

const apart = aheadBy(30_000)
const callsPerMinute = 20

/** The API in this process, and another whose clock is half a minute ahead. No worker before a test starts one. */
const world = forWholeFile(test, 'clocks-apart', async (t) => {
  const env = { OUTGOING_PER_MINUTE: String(callsPerMinute), CANCEL_SECONDS: '6' }
  const sites = await startSites(t)
  const stage = await openStage(t, { sites, contacts: {}, allow: sites.allow, env })
  return { stage, ahead: await stage.startApi(apart) }
})

// @promise refresh
test.serial('a process whose clock is ahead leaves a refresh to the one that is at it', async (t) => {
  const { stage, ahead } = await world()
  t.true(ahead.logs.some((line) => line.includes("this machine's clock differs from the database's")))
  const { contacts } = stage
  const owner = await openOwner(stage, 1)
  await untilExpired(stage, [owner])
  const before = refreshesAt(contacts).length
  const { promise: enough, resolve: answer } = Promise.withResolvers<void>()
  contacts.intercept(async (_facts, _response, proceed) => {
    await proceed()
    await enough
  })

  const first = callDirectly(owner)
  await eventually(10, 'the refresh is under way', async () => (await isLeased(stage, owner)) || undefined)
  const second = callDirectly(owner, ahead.url)
  // Longer than a caller waits for a holder that is gone.
  setTimeout(answer, 8000)
  t.deepEqual([(await first).status, (await second).status], [200, 200])
  t.is(refreshesAt(contacts).length - before, 1)
  t.deepEqual(await historyOf(owner), ['expiry refreshed'])
})

// @promise cancel
test.serial('a process whose clock is ahead gives a cancelled run its full time to end', async (t) => {
  const { stage } = await world()
  const someone = await customer(stage.platform)
  const agent = await webhookAgent(someone)
  const { runId } = (await deliver(someone, agent, {})).body
  t.truthy(await stage.platform.services.runs.queue.claimNext(agent.id))

  const asked = Date.now()
  await cancel(someone, runId)
  const { status } = await ended(someone, runId, 30)
  t.is(status, 'cancelled')
  t.true(Date.now() - asked >= 6000, `it was ended after ${Date.now() - asked} ms`)
})

// @promise host-limit
test.serial('a worker whose clock is ahead waits for its turn at a host, instead of asking on and on', async (t) => {
  const { stage } = await world()
  await stage.startWorker(apart)
  const { someone, sites } = await connected(stage)
  const { host } = new URL(stage.sites.badTools.origin)
  await stage.platform.services.database.raw(
    `insert into outgoing_slots (id, host, share, taken_at, ended_at, free_at)
       select gen_random_uuid(), ?, 'others', now(), now(), now() + interval '15 seconds' from generate_series(1, ?)`,
    [host, callsPerMinute],
  )
  const agent = await agentOf(someone, { systemPrompt: '[[call echo_text {"text":"a"}]]', sites })
  const { id } = (await start(someone, agent)).body
  t.is((await ended(someone, id, 60)).status, 'completed')
  const waits = dataOf(await timelineOf(someone, id), 'wait.started')
  t.deepEqual(
    waits.map(({ cause }) => cause),
    ['rate_limit'],
  )
})
