import test from 'ava'
import { agentOf, connectBadTools, customer, person } from '../helpers/people.ts'
import { start, waiting } from '../helpers/runs.ts'
import { events, status, type Act } from './failing-provider.ts'
import { sharedModels } from './shared-models.ts'
import { runOnce } from './stage-of-provider.ts'
import { anthropic, chat } from './wire.ts'

/* When a run goes to its second model is a table of its next moves; here a run meets each reason once. */

const stage = sharedModels(test)

const hello = events(anthropic.all('Hello from the other.'))

test('the fallback model is asked once the attempts are used up, with attempts of its own, and the run stays with it', async (t) => {
  const { provider, platform, sites, play } = await stage()
  const someone = await customer(platform)
  const asked = { id: 'a', name: 'echo_text', arguments: '{"text":"one"}' }
  const model = play([events(chat.asking([asked])), status(500)])
  const asking = anthropic.asking({ ...asked, id: 'b' })
  const fallbackModel = play([status(500), status(500), status(500), events(asking), hello], 'anthropic')
  const given = [{ vaultEntryId: await connectBadTools(someone, sites) }]
  const { run, failures, steps, changes, started } = await runOnce(someone, { model, fallbackModel, sites: given }, 90)
  t.like(run, { status: 'completed', steps: 3, toolCalls: 2 })
  t.deepEqual(changes, [{ step: 2, from: model, to: fallbackModel, note: 'The model failed.' }])
  t.deepEqual(
    failures.map((failure) => [failure['step'], failure['attempt'], failure['model'], failure['willRetry']]),
    [1, 2, 3, 4, 5, 6, 7].map((attempt) => [2, attempt, attempt < 5 ? model : fallbackModel, true]),
  )
  t.is(started.length, 10)
  t.deepEqual(
    steps.map((step) => step['model']),
    [model, fallbackModel, fallbackModel],
  )
  for (const one of [model, fallbackModel]) t.is(provider.requestsOf(one).length, 5)
})

const useless = events(chat.all(''))
const refusal = events(chat.all('', 'content_filter'))
const failed = 'The model failed.'

const reasons: [title: string, acts: Act | Act[], asked: number, note: string, outcomes: string[]][] = [
  ['fails in a way that cannot pass', status(401), 1, failed, []],
  ['asks for a pause of more than a minute', status(429, { 'retry-after': '61' }), 1, failed, []],
  ['refuses to answer', refusal, 1, 'The model refused to answer.', ['refused']],
  ['fails when it is corrected', [useless, status(401)], 2, failed, ['empty']],
  ['gives useless answers', useless, 2, "The model's answers were unusable.", ['empty', 'empty']],
]

test('the fallback model is asked at once if the model cannot or will not answer, and is corrected once, too', async (t) => {
  const { provider, platform, play } = await stage()
  for (const [title, acts, asked, note, outcomes] of reasons) {
    const model = play([acts].flat())
    const fallbackModel = play([events(anthropic.all('')), hello], 'anthropic')
    const { run, steps, changes, failures } = await runOnce(await person(platform), { model, fallbackModel })
    t.like(run, { status: 'completed', answer: 'Hello from the other.' }, title)
    t.like(changes, [{ from: model, to: fallbackModel, note }], title)
    t.deepEqual(
      steps.map((step) => step['outcome']),
      [...outcomes, 'empty', undefined],
      title,
    )
    t.is(provider.requestsOf(model).length, asked, title)
    t.true(
      failures.every(({ retryAt }) => retryAt === undefined),
      title,
    )
  }
})

test('an agent whose model is not configured any more goes to its fallback model, and waits without one', async (t) => {
  const { provider, platform, play } = await stage()
  const { database } = platform.services
  const someone = await person(platform)
  const gone = async (agent: { id: string }) => database('agents').where({ id: agent.id }).update({ model: 'gone' })
  const fields = { model: play([hello]), fallbackModel: play([hello], 'anthropic') }
  const { run, failures } = await runOnce(someone, fields, 60, gone)
  t.is(run.status, 'completed')
  const message = 'There is no model named gone. GET /models lists the available models.'
  t.like(failures, [{ model: 'gone', message }])
  t.is(provider.requestsOf(fields.model).length, 0)
  const alone = await agentOf(someone, { model: fields.model })
  await gone(alone)
  const { id } = (await start(someone, alone)).body
  t.like(await waiting(someone, id), { waitingCause: 'model', waitingFor: 'gone' })
})
