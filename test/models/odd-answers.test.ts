import { isDeepStrictEqual } from 'node:util'
import test from 'ava'
import { connectBadTools, customer, person } from '../helpers/people.ts'
import { events, whole } from './failing-provider.ts'
import { stringsIn, valuesOf } from './providers.ts'
import { sharedModels } from './shared-models.ts'
import { runOnce } from './stage-of-provider.ts'
import { chat, wholeAnswers, type WireCall } from './wire.ts'

/* Answers that are complete and yet of no use, or not as one would like them: data for the model, or the end. */

const stage = sharedModels(test)

const echo = (id: string, text: string): WireCall => ({ id, name: 'echo_text', arguments: JSON.stringify({ text }) })

/** Somebody with an agent's site whose tools misbehave. */
async function withTools() {
  const { platform, sites } = await stage()
  const someone = await customer(platform)
  return { someone, sites: [{ vaultEntryId: await connectBadTools(someone, sites) }] }
}

/** What the model was told in a request after its own words: results of tools, and sentences. */
const toldIn = (body: Record<string, unknown>): { role: string; content: string; tool_call_id?: string }[] =>
  (body['messages'] as { role: string; content: string }[]).filter(({ role }) => role === 'tool' || role === 'user')

test('an unknown tool, invalid arguments and ids that are empty or used twice are told to the model, which goes on', async (t) => {
  const { provider, play } = await stage()
  const { someone, sites } = await withTools()
  const calls = [
    echo('x', 'one'),
    echo('x', 'two'),
    echo('', 'three'),
    { id: 'y', name: 'no_such_tool', arguments: '{}' },
    { id: 'z', name: 'echo_text', arguments: '{"text":' },
    { id: 'w', name: 'echo_text', arguments: '{"text":5}' },
  ]
  const model = play([events(chat.asking(calls)), events(chat.all('Done.'))])
  const { run, outcomes, steps } = await runOnce(someone, { model, sites })
  t.like(run, { status: 'completed', steps: 2, toolCalls: 6 })
  t.is(steps[0]?.['outcome'], undefined, 'a step with calls counts, whatever they are')
  const resultOf = (args: unknown) => outcomes.find((one) => isDeepStrictEqual(one['arguments'], args))
  for (const text of ['one', 'two', 'three']) t.like(resultOf({ text }), { status: 'succeeded', result: { text } })
  t.regex(String(resultOf({})?.['result']), /There is no tool named "no_such_tool"/)
  t.regex(String(resultOf('{"text":')?.['result']), /must be a JSON object/)
  t.regex(String(resultOf({ text: 5 })?.['result']), /do not match the tool's input schema/)
  const told = toldIn(provider.requestsOf(model)[1]!.body).filter(({ role }) => role === 'tool')
  t.is(new Set(told.map((one) => one.tool_call_id)).size, 6, 'each result has the id of its own call')
})

test('a useless answer is charged, named and corrected once, and another time after a useful one', async (t) => {
  const { provider, play } = await stage()
  const { someone, sites } = await withTools()
  const acts = [chat.all('  '), chat.asking([echo('a', 'one')]), chat.all('Hello and', 'length'), chat.all('Better.')]
  const model = play(acts.map((said) => events(said)))
  const { run, steps } = await runOnce(someone, { model, sites })
  t.like(run, { status: 'completed', steps: 4, credits: 4, answer: 'Better.' })
  t.deepEqual(
    steps.map((step) => step['outcome']),
    ['empty', undefined, 'truncated', undefined],
  )
  const told = provider.requestsOf(model).map(({ body }) => toldIn(body).at(-1)?.content ?? '')
  t.regex(told[1] ?? '', /^Your last answer was empty/)
  t.regex(told[3] ?? '', /^Your last answer was cut off/)
})

const thought = {
  'anthropic-whole': {
    ...(JSON.parse(wholeAnswers.anthropic()) as object),
    content: [{ type: 'thinking', thinking: 'Hm.', signature: 'c2lnbmVk' }],
    stop_reason: 'max_tokens',
  },
  'responses-whole': {
    ...(JSON.parse(wholeAnswers.responses()) as object),
    output: [{ type: 'reasoning', id: 'rs_1', encrypted_content: 'c2VhbGVk', summary: [] }],
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
  },
}

for (const [asked, answer] of Object.entries(thought) as [keyof typeof thought, object][]) {
  test(`an answer of thoughts alone is corrected, and the thoughts that led to nothing do not go back (${asked})`, async (t) => {
    const { provider, platform, play } = await stage()
    const good = wholeAnswers[asked === 'anthropic-whole' ? 'anthropic' : 'responses']()
    const model = play([whole(JSON.stringify(answer)), whole(good)], asked)
    const { run, steps } = await runOnce(await person(platform), { model })
    t.like(run, { status: 'completed', steps: 2 })
    t.like(steps[0], { text: '', outcome: 'truncated' })
    const body = provider.requestsOf(model)[1]?.body
    t.true(stringsIn(body).some((text) => text.startsWith('Your last answer was cut off')))
    for (const member of ['encrypted_content', 'signature']) t.deepEqual(valuesOf(body, member), [])
    t.false(stringsIn(body).includes('assistant'))
  })
}
