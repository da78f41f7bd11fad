// @promise outages
import test from 'ava'
import { listConfiguredModels } from '../../api/admin-overview.ts'
import * as agents from '../../api/agents.ts'
import { createApiKey } from '../../api/api-keys.ts'
import * as billing from '../../api/billing.ts'
import * as notifications from '../../api/notifications.ts'
import { whyRun } from '../../api/why.ts'
import { adminOf } from '../helpers/admins.ts'
import { call } from '../helpers/client.ts'
import { shiftedClock } from '../helpers/clock.ts'
import { eventually } from '../helpers/eventually.ts'
import { customer, deliver, ended, runOf, timelineOf, webhookAgent, type Person } from '../helpers/people.ts'
import { dataOf, waiting } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { events, status } from './failing-provider.ts'
import { openProvider } from './stage-of-provider.ts'
import { chat, anthropic } from './wire.ts'

/** Each test has models of its own. */
const names = [
  'gone',
  'unpaid',
  'backed',
  'picky',
  'flapping',
  'limited',
  'either',
  'early',
  'removed',
  'busy',
  'paced',
]

const stage = forWholeFile(test, 'outages of models', (t) =>
  openProvider(
    t,
    [{ models: names }, { protocol: 'anthropic', models: ['backed-other', 'either-other', 'paced-other'] }],
    {
      env: { RECONCILE_SECONDS: '1' },
    },
  ),
)

const done = events(chat.all('Done.'))
const unauthorized = status(401, {}, '{"error":{"message":"Incorrect API key provided: sk-test-4f1c9d2ab7e8."}}')

const outageNotices = async (someone: Person) =>
  (await call(someone, notifications.listNotifications, { query: { kind: 'model_outage' } })).body.items

test('a model that is down makes runs wait in order, one probe at a time finds its end, and each owner is notified once', async (t) => {
  const { provider, platform } = await stage()
  provider.setOut('gone', true)
  provider.play('gone', [status(503)])
  const someone = await customer(platform)
  const chosen = await Promise.all([0, 1].map(() => webhookAgent(someone, { model: 'gone' })))
  const delivered: { runId: string }[][] = []
  for (const agent of chosen) {
    const receipts = []
    for (const number of [1, 2, 3]) receipts.push((await deliver(platform, agent, { number })).body)
    delivered.push(receipts)
  }
  const heads = delivered.map(([first]) => String(first?.runId))
  for (const id of heads) t.like(await waiting(someone, id, 60), { waitingCause: 'model', waitingFor: 'gone' })
  const asked = provider.requestsOf('gone').length
  t.true(asked <= 8, 'four attempts of each head, at most')
  const { summary, causes } = (await call(someone, whyRun, { params: { runId: heads[0]! } })).body
  t.regex(
    summary,
    /is waiting: it has been waiting for the AI model gone since .* failing or overloaded \(status 503\)/,
  )
  t.is(causes[0]?.code, 'MODEL_UNAVAILABLE')
  t.truthy(causes[0]?.until)
  const behind = (await call(someone, whyRun, { params: { runId: delivered[0]![1]!.runId } })).body
  t.regex(behind.summary, /waiting for the AI model gone/)
  t.is((await outageNotices(someone)).length, 1)

  const admin = await adminOf(platform)
  const shown = (await call(admin, listConfiguredModels)).body.items.find(({ name }) => name === 'gone')
  t.like(shown?.outage, { waitingRuns: 2, message: 'The AI provider is failing or overloaded (status 503).' })
  t.regex(shown?.outage?.providerSaid ?? '', /some_error/)

  const probes = provider.probesOf('gone').length
  await eventually(30, 'the model is probed again', () => provider.probesOf('gone').length > probes || undefined)
  t.is(provider.requestsOf('gone').length, asked, 'no run asks a model that is out')
  provider.play('gone', [done])
  provider.setOut('gone', false)
  for (const receipts of delivered) {
    const runs = []
    for (const { runId } of receipts) runs.push(await ended(someone, runId, 90))
    for (const run of runs) t.like(run, { status: 'completed', steps: 1, credits: 1 })
    t.deepEqual(
      runs.map(({ endedAt }) => endedAt),
      runs.map(({ endedAt }) => endedAt).toSorted((one, other) => String(one).localeCompare(String(other))),
    )
  }
  const { items } = (await call(someone, billing.listLedger, { query: { limit: '100' } })).body
  t.is(items.filter(({ kind }) => kind === 'step').length, 6, 'each step is charged once')
  t.is((await outageNotices(someone)).length, 1)
  const [wait] = dataOf(await timelineOf(someone, heads[0]!), 'wait.started')
  t.like(wait, { cause: 'model', model: 'gone', site: null })
  const after = (await call(admin, listConfiguredModels)).body.items.find(({ name }) => name === 'gone')
  t.is(after?.outage, null)
})

test('refused credentials are an outage from the first attempt on, and their words are for admins alone, without the key', async (t) => {
  const { provider, platform } = await stage()
  provider.setOut('unpaid', true)
  provider.play('unpaid', [unauthorized])
  const someone = await customer(platform)
  const agent = await webhookAgent(someone, { model: 'unpaid' })
  const { runId } = (await deliver(platform, agent, {})).body
  await waiting(someone, runId, 30)
  t.is(provider.requestsOf('unpaid').length, 1)
  const timeline = JSON.stringify(await timelineOf(someone, runId))
  t.regex(timeline, /refused the platform's credentials/)
  t.false(timeline.includes('Incorrect API key'))
  const { items } = (await call(await adminOf(platform), listConfiguredModels)).body
  const said = items.find(({ name }) => name === 'unpaid')?.outage?.providerSaid ?? ''
  t.regex(said, /Incorrect API key provided: /)
  t.false(said.includes('4f1c9d2ab7e8'))
  provider.play('unpaid', [done])
  provider.setOut('unpaid', false)
  t.like(await ended(someone, runId, 60), { status: 'completed' })
})

test('an agent with a second model asks it at once while the first is out, and also without asking the first', async (t) => {
  const { provider, platform } = await stage()
  provider.setOut('backed', true)
  provider.play('backed', [unauthorized])
  provider.play('backed-other', [events(anthropic.all('From the other.'))])
  const someone = await customer(platform)
  const agent = await webhookAgent(someone, { model: 'backed', fallbackModel: 'backed-other' })
  for (const number of [1, 2]) {
    const { runId } = (await deliver(platform, agent, { number })).body
    t.like(await ended(someone, runId, 30), { status: 'completed' })
    t.like(dataOf(await timelineOf(someone, runId), 'model.changed'), [{ from: 'backed', to: 'backed-other' }])
  }
  t.is(provider.requestsOf('backed').length, 1, 'the second run knows of the outage')
  t.is((await outageNotices(someone)).length, 0)
})

test('a pause of more than a minute is waited for by no run that has a second model, and by later ones without asking', async (t) => {
  const { provider, platform } = await stage()
  provider.setOut('paced', true)
  provider.play('paced', [status(429, { 'retry-after': '90' })])
  provider.play('paced-other', [events(anthropic.all('From the other.'))])
  const someone = await customer(platform)
  for (const number of [1, 2, 3]) {
    const agent = await webhookAgent(someone, { model: 'paced', fallbackModel: 'paced-other' })
    const { runId } = (await deliver(platform, agent, { number })).body
    t.like(await ended(someone, runId, 30), { status: 'completed', answer: 'From the other.' })
  }
  t.is(provider.requestsOf('paced').length, 1)
  t.is(provider.probesOf('paced').length, 1, 'nor is it probed before the pause is over')
})

test('a prompt that is refused while the model answers others ends its run at once, with the cause in its error', async (t) => {
  const { provider, platform } = await stage()
  provider.play('picky', [status(400)])
  const someone = await customer(platform)
  const agent = await webhookAgent(someone, { model: 'picky' })
  const run = await ended(someone, (await deliver(platform, agent, {})).body.runId, 30)
  t.like(run, { status: 'failed', reason: 'MODEL_ERROR' })
  t.regex(run.error ?? '', /^The AI provider refused the request \(status 400\)\.$/)
  const { message } = (await call(someone, whyRun, { params: { runId: run.id } })).body.causes[0]!
  t.regex(message, /refused the request \(status 400\)/)
  const { items } = (await call(someone, notifications.listNotifications)).body
  t.regex(items[0]?.message ?? '', /refused the request \(status 400\)/)
})

test('a model that fails one run while it answers others is asked again in rounds', async (t) => {
  const { provider, platform } = await stage()
  provider.play('flapping', [...[1, 2, 3, 4].map(() => status(529)), done])
  const someone = await customer(platform)
  const agent = await webhookAgent(someone, { model: 'flapping' })
  const { runId } = (await deliver(platform, agent, {})).body
  t.like(await waiting(someone, runId, 60), { waitingCause: 'model' })
  t.like(await ended(someone, runId, 60), { status: 'completed', steps: 1 })
  t.is(provider.requestsOf('flapping').length, 5)
})

test('a run waits for as long as its provider asks for, although the model answers others', async (t) => {
  const { provider, platform } = await stage()
  provider.play('limited', [status(429, { 'retry-after': '90' }), done])
  const someone = await customer(platform)
  const agent = await webhookAgent(someone, { model: 'limited' })
  const { runId } = (await deliver(platform, agent, {})).body
  const { waitingUntil } = await waiting(someone, runId, 30)
  const ms = Date.parse(String(waitingUntil)) - Date.now()
  t.true(ms > 60_000 && ms <= 90_000)
})

test('after a day the head of the queue fails, its agent is paused with the reason, and the others wait to be resumed', async (t) => {
  const clock = shiftedClock()
  const { provider, platform } = await openProvider(t, [{ models: ['lost'] }], {
    env: { RECONCILE_SECONDS: '1', STALL_SECONDS: '2' },
    clock,
  })
  provider.setOut('lost', true)
  provider.play('lost', [unauthorized])
  const owner = await customer(platform)
  // A login would end before the day does.
  const { key } = (await call(owner, createApiKey, { body: { name: 'A key', scopes: ['read', 'write'] } })).body
  const someone = { ...owner, token: key }
  const agent = await webhookAgent(someone, { model: 'lost' })
  const runs: string[] = []
  for (const number of [1, 2, 3]) runs.push((await deliver(platform, agent, { number })).body.runId)
  const [first = '', second = '', third = ''] = runs
  await waiting(someone, first, 30)
  clock.forward(86_400)
  const run = await ended(someone, first, 60)
  t.like(run, { status: 'failed', reason: 'MODEL_UNAVAILABLE' })
  const params = { agentId: agent.id }
  const paused = (await call(someone, agents.getAgent, { params })).body
  t.is(paused.pausedReason, 'MODEL_UNAVAILABLE')
  for (const id of [second, third]) t.is((await runOf(someone, id)).status, 'queued')
  const { items } = (await call(someone, notifications.listNotifications)).body
  t.deepEqual(items.map(({ kind }) => kind).toSorted(), ['agent_paused', 'model_outage'])
  provider.play('lost', [done])
  provider.setOut('lost', false)
  await call(someone, agents.resumeAgent, { params })
  for (const id of [second, third]) t.like(await ended(someone, id, 90), { status: 'completed' })
})

test('a run whose two models are out continues with the one that answers first, also if that is its own', async (t) => {
  const { provider, platform } = await stage()
  for (const model of ['either', 'either-other']) {
    provider.setOut(model, true)
    provider.play(model, [unauthorized])
  }
  const someone = await customer(platform)
  const fields = { model: 'either', fallbackModel: 'either-other' }
  const runs: string[] = []
  const agents = [await webhookAgent(someone, fields), await webhookAgent(someone, fields)]
  for (const agent of agents) runs.push((await deliver(platform, agent, {})).body.runId)
  for (const id of runs) await waiting(someone, id, 60)
  provider.play('either', [done])
  provider.setOut('either', false)
  for (const id of runs) t.like(await ended(someone, id, 60), { status: 'completed' })
})

test('an owner whose run waited for a model of its own accord is notified when that is out for everybody', async (t) => {
  const { provider, platform } = await stage()
  provider.play('early', [...[1, 2, 3, 4].map(() => status(429)), unauthorized])
  const someone = await customer(platform)
  const agent = await webhookAgent(someone, { model: 'early' })
  const { runId } = (await deliver(platform, agent, {})).body
  await waiting(someone, runId, 60)
  t.is((await outageNotices(someone)).length, 0)
  provider.setOut('early', true)
  await eventually(60, 'the owner is notified', async () => (await outageNotices(someone)).length || undefined)
  provider.play('early', [done])
  provider.setOut('early', false)
  t.like(await ended(someone, runId, 60), { status: 'completed' })
})

test('a model that was taken out of the configuration is listed for admins while runs wait for it', async (t) => {
  const { platform } = await stage()
  const someone = await customer(platform)
  const agent = await webhookAgent(someone, { model: 'removed' })
  await platform.services.database('agents').where({ id: agent.id }).update({ model: 'not-there' })
  await waiting(someone, (await deliver(platform, agent, {})).body.runId, 30)
  const { items } = (await call(await adminOf(platform), listConfiguredModels)).body
  t.like(
    items.find(({ name }) => name === 'not-there'),
    { provider: { kind: 'none' }, outage: { waitingRuns: 1 } },
  )
})

test('prompts that are refused one after the other cost few probes', async (t) => {
  const { provider, platform } = await stage()
  provider.play('busy', [status(400)])
  const someone = await customer(platform)
  const agents = await Promise.all(Array.from({ length: 5 }, () => webhookAgent(someone, { model: 'busy' })))
  const began = Date.now()
  const runs: string[] = []
  for (const agent of agents)
    for (const number of [1, 2]) runs.push((await deliver(platform, agent, { number })).body.runId)
  for (const id of runs) t.like(await ended(someone, id, 60), { status: 'failed', reason: 'MODEL_ERROR' })
  t.true(provider.probesOf('busy').length <= 1 + (Date.now() - began) / 5000)
})

test('a model that hangs is out after its first attempt, and does not use up the time of its runs', async (t) => {
  const { provider, platform } = await openProvider(t, [{ models: ['hanging'] }], {
    env: { MODEL_TIMEOUT_SECONDS: '61', RUN_MINUTES: '1', RECONCILE_SECONDS: '1' },
  })
  provider.setOut('hanging', true)
  provider.play('hanging', [() => undefined])
  const someone = await customer(platform)
  const agent = await webhookAgent(someone, { model: 'hanging' })
  const { runId } = (await deliver(platform, agent, {})).body
  t.like(await waiting(someone, runId, 150), { waitingCause: 'model' })
  t.is(provider.requestsOf('hanging').length, 1)
  provider.play('hanging', [done])
  provider.setOut('hanging', false)
  t.like(await ended(someone, runId, 90), { status: 'completed' })
})
