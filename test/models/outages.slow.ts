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
import { events, status, type Act } from './failing-provider.ts'
import { sharedModels } from './shared-models.ts'
import { openProvider } from './stage-of-provider.ts'
import { chat, anthropic } from './wire.ts'

const stage = sharedModels(test)

const done = events(chat.all('Done.'))
const fromOther = events(anthropic.all('From the other.'))
const unauthorized = status(401, {}, '{"error":{"message":"Incorrect API key provided: sk-test-4f1c9d2ab7e8."}}')

const outageNotices = async (someone: Person) =>
  (await call(someone, notifications.listNotifications, { query: { kind: 'model_outage' } })).body.items

/** A customer's agent that has been delivered so many payloads; the ids of the runs, in order. */
async function delivered(someone: Person, fields: Parameters<typeof webhookAgent>[1], count = 1) {
  const agent = await webhookAgent(someone, fields)
  const ids: string[] = []
  for (let number = 1; number <= count; number += 1) ids.push((await deliver(someone, agent, { number })).body.runId)
  return { agent, ids, head: ids[0]! }
}

/** A model of the stage that fails everybody, and a way to end that. */
async function outOfOrder(act: Act, asked?: 'anthropic') {
  const { provider, play } = await stage()
  const model = play([act], asked)
  provider.setOut(model, true)
  const recover = (answer = done) => {
    provider.play(model, [answer])
    provider.setOut(model, false)
  }
  return { model, recover }
}

/** A model as admins see it. */
async function listed(model: string) {
  const { platform } = await stage()
  const { items } = (await call(await adminOf(platform), listConfiguredModels)).body
  return items.find(({ name }) => name === model)
}

test('a model that is down makes runs wait in order, one probe at a time finds its end, and each owner is notified once', async (t) => {
  const { provider, platform } = await stage()
  const { model, recover } = await outOfOrder(status(503))
  const someone = await customer(platform)
  const queues = await Promise.all([0, 1].map(() => delivered(someone, { model }, 3)))
  for (const { head } of queues) t.like(await waiting(someone, head, 60), { waitingCause: 'model', waitingFor: model })
  const asked = provider.requestsOf(model).length
  t.true(asked <= 8, 'four attempts of each head, at most')
  const whyOf = async (runId: string) => (await call(someone, whyRun, { params: { runId } })).body
  const [head = '', behind = ''] = queues[0]!.ids
  const { summary, causes } = await whyOf(head)
  t.regex(summary, /is waiting. It has been waiting for the AI model .* since .* failing or overloaded \(status 503\)/)
  t.is(causes[0]?.code, 'MODEL_UNAVAILABLE')
  t.truthy(causes[0]?.until)
  t.true((await whyOf(behind)).summary.includes(`waiting for the AI model ${model}`))
  t.is((await outageNotices(someone)).length, 1)
  const shown = await listed(model)
  t.like(shown?.outage, { waitingRuns: 2, message: 'The AI provider is failing or overloaded (status 503).' })
  t.regex(shown?.outage?.providerSaid ?? '', /some_error/)

  const probes = provider.probesOf(model).length
  await eventually(30, 'the model is probed again', () => provider.probesOf(model).length > probes || undefined)
  t.is(provider.requestsOf(model).length, asked, 'no run asks a model that is out')
  recover()
  for (const { ids } of queues) {
    const runs = []
    for (const id of ids) runs.push(await ended(someone, id, 90))
    for (const run of runs) t.like(run, { status: 'completed', steps: 1, credits: 1 })
    const ends = runs.map(({ endedAt }) => String(endedAt))
    t.deepEqual(ends, ends.toSorted())
  }
  const { items } = (await call(someone, billing.listLedger, { query: { limit: '100' } })).body
  t.is(items.filter(({ kind }) => kind === 'step').length, 6, 'each step is charged once')
  t.is((await outageNotices(someone)).length, 1)
  const [wait] = dataOf(await timelineOf(someone, head), 'wait.started')
  t.like(wait, { cause: 'model', model, site: null })
  t.is((await listed(model))?.outage, null)
})

test('refused credentials are an outage from the first attempt on, and their words are for admins alone, without the key', async (t) => {
  const { provider, platform } = await stage()
  const { model, recover } = await outOfOrder(unauthorized)
  const someone = await customer(platform)
  const { head } = await delivered(someone, { model })
  await waiting(someone, head, 30)
  t.is(provider.requestsOf(model).length, 1)
  const timeline = JSON.stringify(await timelineOf(someone, head))
  t.regex(timeline, /rejected the platform's credentials/)
  t.false(timeline.includes('Incorrect API key'))
  const said = (await listed(model))?.outage?.providerSaid ?? ''
  t.regex(said, /Incorrect API key provided: /)
  t.false(said.includes('4f1c9d2ab7e8'))
  recover()
  t.like(await ended(someone, head, 60), { status: 'completed' })
})

const pause = status(429, { 'retry-after': '90' })

for (const [title, act] of [
  ['a model that is out', unauthorized],
  ['a pause of more than a minute', pause],
] as const) {
  test(`an agent with a second model does not wait for ${title}, and later runs do not even ask`, async (t) => {
    const { provider, platform, play } = await stage()
    const { model } = await outOfOrder(act)
    const fallbackModel = play([fromOther], 'anthropic')
    const someone = await customer(platform)
    for (let times = 0; times < 3; times += 1) {
      const { head } = await delivered(someone, { model, fallbackModel })
      t.like(await ended(someone, head, 30), { status: 'completed', answer: 'From the other.' })
      t.like(dataOf(await timelineOf(someone, head), 'model.changed'), [{ from: model, to: fallbackModel }])
    }
    t.is(provider.requestsOf(model).length, 1)
    if (act === pause) t.is(provider.probesOf(model).length, 1, 'nor is it probed before the pause is over')
    t.is((await outageNotices(someone)).length, 0)
  })
}

test('a prompt that is refused while the model answers others ends its run at once, with the cause in its error', async (t) => {
  const { provider, platform, play } = await stage()
  const someone = await customer(platform)
  const model = play([status(400)])
  const run = await ended(someone, (await delivered(someone, { model })).head, 30)
  t.like(run, { status: 'failed', reason: 'MODEL_ERROR' })
  t.regex(run.error ?? '', /^The AI provider rejected the request \(status 400\)\.$/)
  const { message } = (await call(someone, whyRun, { params: { runId: run.id } })).body.causes[0]!
  t.regex(message, /rejected the request \(status 400\)/)
  const { items } = (await call(someone, notifications.listNotifications)).body
  t.regex(items[0]?.message ?? '', /rejected the request \(status 400\)/)

  // Many such prompts cost few probes.
  const began = Date.now()
  const queues = await Promise.all(Array.from({ length: 5 }, () => delivered(someone, { model }, 2)))
  for (const id of queues.flatMap(({ ids }) => ids))
    t.like(await ended(someone, id, 60), { status: 'failed', reason: 'MODEL_ERROR' })
  t.true(provider.probesOf(model).length <= 2 + (Date.now() - began) / 5000)
})

test('a model that fails one run while it answers others is asked again in rounds', async (t) => {
  const { provider, platform, play } = await stage()
  const model = play([...[1, 2, 3, 4].map(() => status(529)), done])
  const someone = await customer(platform)
  const { head } = await delivered(someone, { model })
  t.like(await waiting(someone, head, 60), { waitingCause: 'model' })
  t.like(await ended(someone, head, 60), { status: 'completed', steps: 1 })
  t.is(provider.requestsOf(model).length, 5)
})

test('a run waits for as long as its provider asks for, although the model answers others', async (t) => {
  const { platform, play } = await stage()
  const someone = await customer(platform)
  const { head } = await delivered(someone, { model: play([pause, done]) })
  const { waitingUntil } = await waiting(someone, head, 30)
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
  const { agent, ids } = await delivered(someone, { model: 'lost' }, 3)
  const [first = '', second = '', third = ''] = ids
  await waiting(someone, first, 30)
  clock.forward(86_400)
  const run = await ended(someone, first, 60)
  t.like(run, { status: 'failed', reason: 'MODEL_UNAVAILABLE' })
  const params = { agentId: agent.id }
  const paused = (await call(someone, agents.getAgent, { params })).body
  t.is(paused.pausedReason, 'MODEL_UNAVAILABLE')
  for (const id of [second, third]) t.is((await runOf(someone, id)).status, 'queued')
  const { items } = (await call(someone, notifications.listNotifications)).body
  t.deepEqual(items.map(({ kind, consolePage }) => `${kind} ${consolePage}`).toSorted(), [
    `agent_paused /console/agents/${agent.id}`,
    `model_outage /console/runs/${first}`,
  ])
  provider.play('lost', [done])
  provider.setOut('lost', false)
  await call(someone, agents.resumeAgent, { params })
  for (const id of [second, third]) t.like(await ended(someone, id, 90), { status: 'completed' })
})

test('a run whose two models are out continues with the one that answers first, also if that is its own', async (t) => {
  const { platform } = await stage()
  const [own, other] = [await outOfOrder(unauthorized), await outOfOrder(unauthorized, 'anthropic')]
  const someone = await customer(platform)
  const fields = { model: own.model, fallbackModel: other.model }
  const queues = [await delivered(someone, fields), await delivered(someone, fields)]
  for (const { head } of queues) await waiting(someone, head, 60)
  own.recover()
  for (const { head } of queues) t.like(await ended(someone, head, 60), { status: 'completed' })
})

test('an owner whose run waited for a model of its own accord is notified when that is out for everybody', async (t) => {
  const { provider, platform, play } = await stage()
  const model = play([...[1, 2, 3, 4].map(() => status(429)), unauthorized])
  const someone = await customer(platform)
  const { head } = await delivered(someone, { model })
  await waiting(someone, head, 60)
  t.is((await outageNotices(someone)).length, 0)
  provider.setOut(model, true)
  await eventually(60, 'the owner is notified', async () => (await outageNotices(someone)).length || undefined)
  provider.play(model, [done])
  provider.setOut(model, false)
  t.like(await ended(someone, head, 60), { status: 'completed' })
})

test('a model that was taken out of the configuration is listed for admins while runs wait for it', async (t) => {
  const { platform, play } = await stage()
  const someone = await customer(platform)
  const agent = await webhookAgent(someone, { model: play([done]) })
  await platform.services.database('agents').where({ id: agent.id }).update({ model: 'not-there' })
  await waiting(someone, (await deliver(platform, agent, {})).body.runId, 30)
  t.like(await listed('not-there'), { provider: { kind: 'none' }, outage: { waitingRuns: 1 } })
})

test('a model that hangs is out after its first attempt, and does not use up the time of its runs', async (t) => {
  const { provider, platform } = await openProvider(t, [{ models: ['hanging'] }], {
    env: { MODEL_TIMEOUT_SECONDS: '61', RUN_MINUTES: '1', RECONCILE_SECONDS: '1' },
  })
  provider.setOut('hanging', true)
  provider.play('hanging', [() => undefined])
  const someone = await customer(platform)
  const { head: runId } = await delivered(someone, { model: 'hanging' })
  t.like(await waiting(someone, runId, 150), { waitingCause: 'model' })
  t.is(provider.requestsOf('hanging').length, 1)
  provider.play('hanging', [done])
  provider.setOut('hanging', false)
  t.like(await ended(someone, runId, 90), { status: 'completed' })
})
