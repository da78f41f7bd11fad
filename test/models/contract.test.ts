import test, { type ExecutionContext } from 'ava'
import { dataOf } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { openContract, price, type Carried } from './contract.ts'
import { providers, stringsIn, valuesOf, type Provider } from './providers.ts'
import { longNumber, turns, used } from './turns.ts'

/** Streamed, and in one piece where a kind of provider comes first. */
const asked = providers.flatMap((provider, index) =>
  [true, false]
    .filter((stream) => stream || providers.findIndex(({ kind }) => kind === provider.kind) === index)
    .map((stream) => ({ provider, stream, name: `${index}/${stream ? 'stream' : 'whole'}` })),
)
const open = forWholeFile(test, 'providers', (t) => openContract(t, asked))

const usdOf = (cached: number): number =>
  (turns.length * ((used.input - cached) * price.input + cached * price.cacheRead + used.output * price.output)) / 1e6

function isCarriedOut(t: ExecutionContext, { run, timeline, relay }: Carried): void {
  t.like(run, { status: 'completed', reason: null, steps: 4, toolCalls: 5 })
  t.is(relay.received().length, 4)
  t.deepEqual(
    dataOf(timeline, 'tool.finished').map(({ status }) => status),
    ['succeeded', 'succeeded', 'failed', 'failed', 'succeeded'],
  )
  t.deepEqual(
    dataOf(timeline, 'step.finished').map(({ text }) => text),
    turns.map(({ text = '' }) => text),
  )
}

/** Each result stands in the last request once, in the order of the calls. */
const seen = [
  /"one"/,
  /"two"/,
  /The arguments (must be a JSON object|do not match)/,
  /There is no tool named/,
  /"three"/,
]

function isSeen(t: ExecutionContext, { relay }: Carried): void {
  const results = stringsIn(relay.bodies().at(-1)).filter((text) => text.includes('<<<untrusted result '))
  t.is(results.length, seen.length)
  for (const [index, pattern] of seen.entries()) t.regex(results[index] ?? '', pattern)
}

function isCharged(t: ExecutionContext, { cached }: Provider, { run, timeline }: Carried): void {
  t.like(run, { inputTokens: 4 * used.input, outputTokens: 4 * used.output, cachedTokens: 4 * cached })
  t.is(run.costUsd, usdOf(cached))
  for (const step of dataOf(timeline, 'step.finished')) {
    t.like(step, { inputTokens: used.input, cachedTokens: cached, costUsd: usdOf(cached) / 4 })
  }
}

for (const { name, provider, stream } of asked) {
  const { title, returned, wanted, tools, keepsText } = provider
  const how = `${title}, ${stream ? 'streamed' : 'not streamed'}`

  test(`an agent takes three steps with tools, and its provider gets back what it said, byte for byte (${how})`, async (t) => {
    const one = await (await open()).carriedOut(name)
    isCarriedOut(t, one)
    isSeen(t, one)
    isCharged(t, provider, one)
    const bodies = one.relay.bodies()
    for (const [index, body] of bodies.entries())
      t.deepEqual(
        returned(body),
        turns.slice(0, index).flatMap(wanted),
        `reasoning in the request of step ${index + 1}`,
      )
    const names = bodies.map((body) => JSON.stringify(tools(body)))
    t.deepEqual(new Set(names).size, 1, 'the tools are the same in every request')
    const [first] = bodies.map(tools) as string[][]
    t.true(first?.includes('echo_text'))
    t.deepEqual(first, first?.toSorted())
    // A long number goes back as the model wrote it.
    if (keepsText) t.true(stringsIn(bodies[1]).includes(`{"text":"two","count":${longNumber}}`))
  })
}

test('the ledger holds the price that each step of each provider was charged at', async (t) => {
  const contract = await open()
  for (const { name, provider } of asked) {
    const { run } = await contract.carriedOut(name)
    const rows = await contract.platform.services.database('ledger_entries').where({ runId: run.id, kind: 'step' })
    t.is(rows.length, 4)
    for (const row of rows as { price: object; costNanoUsd: unknown }[]) {
      t.deepEqual(row.price, { source: 'configured', ...price })
      t.is(Number(row.costNanoUsd), Math.round((usdOf(provider.cached) / 4) * 1e9))
    }
  }
})

/** The requests of a run with a provider of the contract. */
async function requestsTo(title: string) {
  const one = asked.find(({ provider, stream }) => stream && provider.title === title)
  const { run, relay } = await (await open()).carriedOut(one?.name ?? '')
  return { run, bodies: relay.bodies() }
}

for (const title of ['OpenAI (Responses)', 'Azure']) {
  test(`nothing is stored at the provider, and the items of an answer go back in the order in which they came (${title})`, async (t) => {
    const { run, bodies } = await requestsTo(title)
    for (const body of bodies) t.like(body, { store: false, prompt_cache_key: run.id, stream: true })
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

test('Anthropic is told to keep what the next request begins with, and gets an answer in the order of its blocks', async (t) => {
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
