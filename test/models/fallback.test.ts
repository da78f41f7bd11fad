import test from 'ava'
import { agentOf, connectBadTools, customer, person } from '../helpers/people.ts'
import { start, waiting } from '../helpers/runs.ts'
import { events, status } from './failing-provider.ts'
import { sharedModels } from './shared-models.ts'
import { runOnce } from './stage-of-provider.ts'
import { anthropic, chat } from './wire.ts'

/** Each test has models of its own. */
const names = ['down', 'refusing', 'bad', 'late', 'both', 'idle', 'absent', 'sulking']
const stage = sharedModels(test, { chat: names, anthropic: names.map((name) => `${name}-other`) })

const hello = events(anthropic.all('Hello from the other.'))

test('the fallback model is asked once the attempts are used up, with attempts of its own, and the run stays with it', async (t) => {
  const { provider, platform, sites } = await stage()
  const someone = await customer(platform)
  provider.play('down', [
    events(chat.asking([{ id: 'a', name: 'echo_text', arguments: '{"text":"one"}' }])),
    status(500),
  ])
  const asking = anthropic.asking({ id: 'b', name: 'echo_text', arguments: '{"text":"two"}' })
  provider.play('down-other', [status(500), status(500), status(500), events(asking), hello])
  const agent = {
    model: 'down',
    fallbackModel: 'down-other',
    sites: [{ vaultEntryId: await connectBadTools(someone, sites) }],
  }
  const { run, failures, steps, changes, started } = await runOnce(someone, agent, 90)
  t.like(run, { status: 'completed', steps: 3, toolCalls: 2 })
  t.deepEqual(changes, [{ step: 2, from: 'down', to: 'down-other', note: 'The model failed.' }])
  t.deepEqual(
    failures.map(({ step, attempt, model, willRetry }) => [step, attempt, model, willRetry]),
    [
      ...[1, 2, 3, 4].map((attempt) => [2, attempt, 'down', true]),
      ...[5, 6, 7].map((attempt) => [2, attempt, 'down-other', true]),
    ],
  )
  t.is(started.length, 10)
  t.deepEqual(
    steps.map(({ model }) => model),
    ['down', 'down-other', 'down-other'],
  )
  t.is(provider.requestsOf('down').length, 5)
  t.is(provider.requestsOf('down-other').length, 5)
})

test('the fallback model is asked at once if the failure cannot pass, and a run whose models both fail ends with MODEL_ERROR', async (t) => {
  const { provider, platform } = await stage()
  provider.play('bad', [status(401)])
  provider.play('bad-other', [hello])
  const { run, failures, changes } = await runOnce(await person(platform), { model: 'bad', fallbackModel: 'bad-other' })
  t.is(run.status, 'completed')
  t.like(failures, [{ model: 'bad', willRetry: true }])
  t.is(failures.length, 1)
  t.like(changes, [{ step: 1, from: 'bad', to: 'bad-other' }])
  t.is(provider.requestsOf('bad').length, 1)

  provider.play('both', [status(400)])
  provider.play('both-other', [status(403)])
  const over = await runOnce(await person(platform), { model: 'both', fallbackModel: 'both-other' })
  t.like(over.run, { status: 'failed', reason: 'MODEL_ERROR' })
  t.deepEqual(
    over.failures.map(({ model, willRetry }) => [model, willRetry]),
    [
      ['both', true],
      ['both-other', false],
    ],
  )
  t.is(over.changes.length, 1)
})

test('a provider that asks for a pause of more than a minute is not waited for if there is another model', async (t) => {
  const { provider, platform } = await stage()
  provider.play('late', [status(429, { 'retry-after': '61' })])
  provider.play('late-other', [hello])
  const { run, failures } = await runOnce(await person(platform), { model: 'late', fallbackModel: 'late-other' })
  t.is(run.status, 'completed')
  t.deepEqual(
    failures.map(({ retryAt }) => retryAt),
    [undefined],
  )
})

test('the fallback model is asked at once if the model refuses, and its first useless answer is corrected', async (t) => {
  const { provider, platform } = await stage()
  provider.play('refusing', [events(chat.all('', 'content_filter'))])
  provider.play('refusing-other', [events(anthropic.all('')), hello])
  const agent = { model: 'refusing', fallbackModel: 'refusing-other' }
  const { run, steps, changes } = await runOnce(await person(platform), agent)
  t.like(run, { status: 'completed', steps: 3 })
  t.deepEqual(
    steps.map(({ model, outcome }) => [model, outcome]),
    [
      ['refusing', 'refused'],
      ['refusing-other', 'empty'],
      ['refusing-other', undefined],
    ],
  )
  t.like(changes, [{ step: 2, note: 'The model refused to answer.' }])
})

test('the fallback model is asked if two answers in a row are of no use', async (t) => {
  const { provider, platform } = await stage()
  provider.play('sulking', [events(chat.all(''))])
  provider.play('sulking-other', [hello])
  const agent = { model: 'sulking', fallbackModel: 'sulking-other' }
  const { run, changes } = await runOnce(await person(platform), agent)
  t.like(run, { status: 'completed', steps: 3 })
  t.like(changes, [{ step: 3, note: 'The answers of the model were of no use.' }])
  t.is(provider.requestsOf('sulking').length, 2)
})

test('an agent whose model is not configured any more goes to its fallback model, and waits without one', async (t) => {
  const { provider, platform } = await stage()
  const { database } = platform.services
  const someone = await person(platform)
  provider.play('absent-other', [hello])
  const gone = async (agent: { id: string }) => database('agents').where({ id: agent.id }).update({ model: 'gone' })
  const fields = { model: 'absent', fallbackModel: 'absent-other' }
  const { run, failures } = await runOnce(someone, fields, 60, gone)
  t.is(run.status, 'completed')
  const message = 'The model gone is not among those of this platform. GET /models lists them.'
  t.like(failures, [{ model: 'gone', message }])
  t.is(provider.requestsOf('absent').length, 0)
  const alone = await agentOf(someone, { model: 'idle' })
  await gone(alone)
  const { id } = (await start(someone, alone)).body
  t.like(await waiting(someone, id), { waitingCause: 'model', waitingFor: 'gone' })
})
