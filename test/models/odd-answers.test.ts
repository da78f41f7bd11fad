import test from 'ava'
import { connectBadTools, customer, person } from '../helpers/people.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { events } from './failing-provider.ts'
import { openProvider, runOnce } from './stage-of-provider.ts'
import { chat, type WireCall } from './wire.ts'

/* Answers that are complete and yet of no use, or not as one would like them: data for the model, or the end. */

const models = ['odd', 'many', 'too-many', 'empty', 'mute', 'long', 'refuser', 'corrected-twice']
const stage = forWholeFile(test, 'odd answers', (t) => openProvider(t, [{ models }]))

const echo = (id: string, text: string): WireCall => ({ id, name: 'echo_text', arguments: JSON.stringify({ text }) })

/** Somebody with an agent's site whose tools misbehave. */
async function withTools(model: string) {
  const { platform, sites } = await stage()
  const someone = await customer(platform)
  return { someone, agent: { model, sites: [{ vaultEntryId: await connectBadTools(someone, sites) }] } }
}

/** What the model was told in a request after its own words: results of tools, and sentences. */
const toldIn = (body: Record<string, unknown>): { role: string; content: string; tool_call_id?: string }[] =>
  (body['messages'] as { role: string; content: string }[]).filter(({ role }) => role === 'tool' || role === 'user')

test('an unknown tool, invalid arguments and ids that are empty or used twice are told to the model, which goes on', async (t) => {
  const { provider } = await stage()
  const { someone, agent } = await withTools('odd')
  const calls = [
    echo('x', 'one'),
    echo('x', 'two'),
    echo('', 'three'),
    { id: 'y', name: 'no_such_tool', arguments: '{}' },
    { id: 'z', name: 'echo_text', arguments: '{"text":' },
    { id: 'w', name: 'echo_text', arguments: '{"text":5}' },
  ]
  provider.play('odd', [events(chat.asking(calls)), events(chat.all('Done.'))])
  const { run, outcomes, steps } = await runOnce(someone, agent)
  t.like(run, { status: 'completed', steps: 2, toolCalls: 6 })
  t.is(steps[0]?.['outcome'], undefined, 'a step with calls counts, whatever they are')
  const resultOf = (args: string) => outcomes.find((one) => one['arguments'] === args)
  for (const text of ['one', 'two', 'three'])
    t.like(resultOf(JSON.stringify({ text })), { status: 'succeeded', result: JSON.stringify({ text }) })
  t.regex(String(resultOf('{}')?.['result']), /There is no tool named "no_such_tool"/)
  t.regex(String(resultOf('{"text":')?.['result']), /are not a JSON object/)
  t.regex(String(resultOf('{"text":5}')?.['result']), /do not fit the tool's input schema/)
  const told = toldIn(provider.requestsOf('odd')[1]!.body).filter(({ role }) => role === 'tool')
  t.is(new Set(told.map((one) => one.tool_call_id)).size, 6, 'each result has the id of its own call')
})

test('fifty calls at once are made, and sixty end the run by its budget without one', async (t) => {
  const { provider } = await stage()
  const many = (count: number) => Array.from({ length: count }, (_, index) => echo(`c${index}`, `${index}`))
  const { someone, agent } = await withTools('many')
  provider.play('many', [events(chat.asking(many(50))), events(chat.all('Done.'))])
  const { run, outcomes } = await runOnce(someone, agent)
  t.like(run, { status: 'completed', steps: 2, toolCalls: 50 })
  t.is(outcomes.filter(({ status }) => status === 'succeeded').length, 50)
  provider.play('too-many', [events(chat.asking(many(60)))])
  const over = await runOnce(someone, { ...agent, model: 'too-many' })
  t.like(over.run, { status: 'failed', reason: 'BUDGET_TOOL_CALLS', toolCalls: 60 })
  t.is(over.outcomes.length, 60)
  for (const outcome of over.outcomes) t.like(outcome, { status: 'failed', attempts: 0 })
})

const useless = [
  { model: 'empty', outcome: 'empty', answer: chat.all('  '), told: /^Your answer was empty/ },
  { model: 'long', outcome: 'truncated', answer: chat.all('Hello and', 'length'), told: /^Your answer was cut off/ },
] as const

for (const { model, outcome, answer, told } of useless) {
  test(`an answer that is ${outcome} is charged, named on the timeline and corrected once`, async (t) => {
    const { provider, platform } = await stage()
    const someone = await person(platform)
    provider.play(model, [events([...answer]), events(chat.all('Better.'))])
    const { run, steps } = await runOnce(someone, { model })
    t.like(run, { status: 'completed', steps: 2, credits: 2 })
    t.deepEqual(
      steps.map((step) => step['outcome']),
      [outcome, undefined],
    )
    t.regex(toldIn(provider.requestsOf(model)[1]!.body).at(-1)!.content, told)
  })
}

test('a model whose answers are useless twice in a row ends its run with MODEL_ERROR', async (t) => {
  const { provider, platform } = await stage()
  provider.play('mute', [events(chat.all(''))])
  const { run, steps } = await runOnce(await person(platform), { model: 'mute' })
  t.like(run, { status: 'failed', reason: 'MODEL_ERROR', steps: 2 })
  t.deepEqual(
    steps.map(({ outcome }) => outcome),
    ['empty', 'empty'],
  )
  t.is(provider.requestsOf('mute').length, 2)
})

test('a useful answer in between gives a model another correction', async (t) => {
  const { provider } = await stage()
  const { someone, agent } = await withTools('corrected-twice')
  const empty = events(chat.all(''))
  provider.play('corrected-twice', [empty, events(chat.asking([echo('a', 'one')])), empty, events(chat.all('Done.'))])
  t.like((await runOnce(someone, agent)).run, { status: 'completed', steps: 4 })
})

test('a model that refuses, without another one, is not asked again', async (t) => {
  const { provider, platform } = await stage()
  provider.play('refuser', [events(chat.all('', 'content_filter'))])
  const { run, steps } = await runOnce(await person(platform), { model: 'refuser' })
  t.like(run, { status: 'failed', reason: 'MODEL_ERROR', steps: 1, credits: 1 })
  t.like(steps, [{ outcome: 'refused' }])
  t.is(provider.requestsOf('refuser').length, 1)
})
