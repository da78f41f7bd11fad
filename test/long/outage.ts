import { setTimeout as delay } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import * as billing from '../../api/billing.ts'
import * as notifications from '../../api/notifications.ts'
import { measured } from '../crash/record.ts'
import { rage } from '../crash/rage.ts'
import { openStage } from '../crash/stage.ts'
import { call } from '../helpers/client.ts'
import { customer, deliver, runOf, timelineOf, webhookAgent, type Person } from '../helpers/people.ts'
import { allEnded, dataOf, runsOf } from '../helpers/runs.ts'
import { events, startFailingProvider, status } from '../models/failing-provider.ts'
import { modelsEnvironment } from '../models/stage.ts'
import { chat } from '../models/wire.ts'

/*
 * A provider that is down for twenty minutes while 30 deliveries over three agents are queued and
 * workers are killed: npm run long -- outage, with `-- --minutes=2` after it for a shorter one
 */
const minutes = Number(process.argv.find((one) => one.startsWith('--minutes='))?.slice('--minutes='.length) ?? 20)
const each = 10

/** How the provider fails: it answers nobody, or it refuses the key. */
const failures = {
  overloaded: status(529),
  refusing: status(401, {}, '{"error":{"message":"Incorrect API key provided."}}'),
}

const outageNotices = async (someone: Person) =>
  (await call(someone, notifications.listNotifications, { query: { kind: 'model_outage' } })).body.items

type Act = (typeof failures)[keyof typeof failures]

/** One model that fails, another one, and the three agents of two owners. */
async function openAgents(t: ExecutionContext, act: Act) {
  const provider = await startFailingProvider(t)
  const models = ['main', 'second'].map((id) => ({ id, price: { input: 1, output: 2 } }))
  const server = { name: 'own', kind: 'openai-compatible', baseUrl: provider.url, apiKeyEnv: 'THE_KEY', models }
  const env = modelsEnvironment([server], 'main')
  const stage = await openStage(t, { env })
  provider.setOut('main', true)
  provider.play('main', [act])
  provider.play('second', [events(chat.all('From the second.'))])
  const [first, other] = [await customer(stage.platform), await customer(stage.platform)]
  const agents = [
    { owner: first, agent: await webhookAgent(first, { model: 'main' }), changes: 0 },
    { owner: first, agent: await webhookAgent(first, { model: 'main', fallbackModel: 'second' }), changes: 1 },
    { owner: other, agent: await webhookAgent(other, { model: 'main' }), changes: 0 },
  ]
  return { provider, stage, agents, owners: [first, other] }
}

type Opened = Awaited<ReturnType<typeof openAgents>>

async function sendAll({ stage, agents }: Opened): Promise<void> {
  for (let number = 0; number < each; number += 1)
    for (const { agent } of agents) await deliver(stage.platform, agent, { number }).then((answer) => answer.body)
}

/** Every run is completed in one step, in order, by the model that was there. */
async function areInOrder(t: ExecutionContext, { agents }: Opened): Promise<void> {
  for (const { owner, agent, changes } of agents) {
    const runs = await runsOf(owner, agent)
    t.is(runs.length, each)
    for (const { id } of runs) {
      t.like(await runOf(owner, id), { status: 'completed', steps: 1 })
      t.is(dataOf(await timelineOf(owner, id), 'model.changed').length, changes)
    }
    const ends = runs.toSorted((one, two) => one.sequence - two.sequence).map(({ endedAt }) => String(endedAt))
    t.deepEqual(ends, ends.toSorted(), 'in order')
  }
}

async function areChargedAndTold(t: ExecutionContext, { agents, owners }: Opened): Promise<void> {
  for (const someone of owners) {
    const { items } = (await call(someone, billing.listLedger, { query: { limit: '100' } })).body
    const own = agents.filter(({ owner }) => owner === someone)
    t.is(items.filter(({ kind }) => kind === 'step').length, own.length * each, 'each step is charged once')
    t.is((await outageNotices(someone)).length, 1)
  }
}

async function outlast(t: ExecutionContext, act: Act): Promise<void> {
  t.timeout((minutes + 20) * 60_000)
  const opened = await openAgents(t, act)
  const { provider, stage, agents } = opened
  const calm = new AbortController()
  const raging = await rage(stage, ['worker', 'worker'], [10_000, 30_000], calm.signal)
  await sendAll(opened)
  await delay(minutes * 60_000)
  const asked = provider.requestsOf('main').length
  provider.play('main', [events(chat.all('Done.'))])
  provider.setOut('main', false)
  const back = Date.now()
  for (const { owner, agent } of agents) await allEnded(owner, agent, 300)
  const tookMs = Date.now() - back
  calm.abort()
  const { worker: kills } = await raging.done
  await areInOrder(t, opened)
  await areChargedAndTold(t, opened)
  const probes = provider.probesOf('main').length
  measured(t, `${kills} kills; asked ${asked} times by runs, ${probes} times by probes; all ended ${tookMs} ms later`)
}

// @promise outages
test.serial(
  'a provider that is overloaded: all runs complete in order, charged once, and each owner is told once',
  (t) => outlast(t, failures.overloaded),
)

// @promise outages
test.serial('a key that the provider refuses until it is put right: the same', (t) => outlast(t, failures.refusing))
