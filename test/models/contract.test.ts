import test, { type ExecutionContext } from 'ava'
import { dataOf } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { openContract, price, type Carried } from './contract.ts'
import { providers, stringsIn, type Provider } from './providers.ts'
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
const seen = [/"one"/, /"two"/, /The arguments (are not a JSON object|do not fit)/, /There is no tool named/, /"three"/]

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
  const carried = async () => (await open()).carriedOut(name)

  test(`an agent takes three steps with tools, two calls at once and two that cannot be made among them (${how})`, async (t) => {
    const one = await carried()
    isCarriedOut(t, one)
    isSeen(t, one)
    isCharged(t, provider, one)
  })

  test(`a provider gets its reasoning back byte for byte, step after step (${how})`, async (t) => {
    for (const [index, body] of (await carried()).relay.bodies().entries()) {
      t.deepEqual(returned(body), turns.slice(0, index).flatMap(wanted), `in the request of step ${index + 1}`)
    }
  })

  test(`the tools are the same in every request of a run, in the same order (${how})`, async (t) => {
    const [first = {}, ...others] = (await carried()).relay.bodies()
    const names = tools(first) as string[]
    t.true(names.includes('echo_text'))
    t.deepEqual(names, names.toSorted())
    for (const body of others) t.is(JSON.stringify(tools(body)), JSON.stringify(names))
  })

  if (keepsText) {
    test(`a long number in the arguments of a call goes back as the model wrote it (${how})`, async (t) => {
      const texts = stringsIn((await carried()).relay.bodies()[1])
      t.true(texts.includes(`{"text":"two","count":${longNumber}}`))
    })
  }
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
