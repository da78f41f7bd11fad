import test from 'ava'
import { forWholeFile } from '../helpers/whole-file.ts'
import { openContract } from './contract.ts'
import { providers, valuesOf } from './providers.ts'

const asked = providers.map((provider) => ({ provider, stream: true, name: provider.kind + provider.id }))
const open = forWholeFile(test, 'requests', (t) => openContract(t, asked))

/** The requests of a run with a provider of the contract. */
async function requestsTo(title: string) {
  const one = asked.find(({ provider }) => provider.title === title)
  const { run, relay } = await (await open()).carriedOut(one?.name ?? '')
  return { run, bodies: relay.bodies() }
}

for (const title of ['OpenAI (Responses)', 'Azure']) {
  test(`nothing is stored at the provider, and the requests of a run share a key of its cache (${title})`, async (t) => {
    const { run, bodies } = await requestsTo(title)
    t.is(bodies.length, 4)
    for (const body of bodies) t.like(body, { store: false, prompt_cache_key: run.id, stream: true })
  })

  test(`the items of an answer go back in the order in which they came (${title})`, async (t) => {
    const { bodies } = await requestsTo(title)
    const input = bodies[2]?.['input'] as { type?: string; role?: string; call_id?: string; arguments?: string }[]
    t.is(input[4]?.arguments, '{"text":"one"}')
    t.deepEqual(
      input.slice(2).map(({ type, role, call_id: id }) => [type ?? role, id].filter(Boolean).join(' ')),
      [
        'reasoning',
        'assistant',
        'function_call callOne01',
        'function_call callTwo02',
        'function_call_output callOne01',
        'function_call_output callTwo02',
        'reasoning',
        'function_call callBad03',
        'function_call callNon04',
        'function_call_output callBad03',
        'function_call_output callNon04',
      ],
    )
  })
}

interface Block {
  type: string
  cache_control?: object
}

test('Anthropic is told to keep the tools, the instructions and the messages that the next request begins with', async (t) => {
  const { bodies } = await requestsTo('Anthropic')
  for (const [index, body] of bodies.entries()) {
    const { tools, system, messages } = body as { tools: Block[]; system: Block[]; messages: { content: Block[] }[] }
    const marked = (blocks: Block[]) => blocks.map(({ cache_control: mark }) => mark !== undefined)
    t.true(tools.slice(0, -1).every(({ cache_control: mark }) => mark === undefined))
    t.deepEqual(tools.at(-1)?.cache_control, { type: 'ephemeral' })
    t.deepEqual(marked(system), [true])
    // The last message, and the last of those before the newest answer.
    const ends = messages.flatMap(({ content }, at) => (content.at(-1)?.cache_control ? [at] : []))
    t.deepEqual(ends, index === 0 ? [0] : [messages.length - 3, messages.length - 1])
    t.is(valuesOf(body, 'cache_control').length, Math.min(index, 1) + 3)
  }
})

test('an answer goes back to Anthropic in the order of its blocks, and its results as one message', async (t) => {
  const { bodies } = await requestsTo('Anthropic')
  const messages = bodies[1]?.['messages'] as { role: string; content: Block[] }[]
  t.deepEqual(
    messages.map(({ role, content }) => [role, ...content.map(({ type }) => type)]),
    [
      ['user', 'text'],
      ['assistant', 'redacted_thinking', 'thinking', 'text', 'tool_use', 'tool_use'],
      ['user', 'tool_result', 'tool_result'],
    ],
  )
})

test('Claude at Bedrock is told what to keep, and models that take no marks get none', async (t) => {
  const claude = await requestsTo('Amazon Bedrock with signed reasoning')
  t.deepEqual(
    claude.bodies.map((body) => valuesOf(body, 'cachePoint').length),
    [2, 3, 3, 3],
  )
  t.deepEqual(valuesOf(claude.bodies[0]?.['system'], 'cachePoint'), [{ type: 'default' }])
  const other = await requestsTo('Amazon Bedrock')
  t.deepEqual(valuesOf(other.bodies, 'cachePoint'), [])
})

test('arguments that a provider takes as an object are those of the model, and unreadable ones are shown as they were', async (t) => {
  const { bodies } = await requestsTo('Amazon Bedrock with signed reasoning')
  const [one, , bad] = valuesOf(bodies[3], 'toolUse') as { input: unknown }[]
  t.deepEqual(one?.input, { text: 'one' })
  t.deepEqual(bad?.input, { unreadableArguments: '{"text":"broken' })
})

test('every request of a run begins as the one before it, so that a provider finds it in its cache', async (t) => {
  for (const title of ['OpenAI (Responses)', 'OpenAI-compatible', 'Mistral']) {
    const { bodies } = await requestsTo(title)
    const messages = bodies.map((body) => (body['input'] ?? body['messages']) as unknown[])
    for (const [index, before] of messages.slice(0, -1).entries()) {
      t.deepEqual(messages[index + 1]?.slice(0, before.length), before, `${title}, step ${index + 2}`)
    }
  }
})
