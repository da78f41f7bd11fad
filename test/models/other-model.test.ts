import test, { type ExecutionContext } from 'ava'
import { agentOf, connectBadTools, customer, ended, timelineOf } from '../helpers/people.ts'
import { dataOf, start } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { isProbe } from './failing-provider.ts'
import { startMock, written } from './contract.ts'
import { providerOf, stringsIn, valuesOf, type Provider } from './providers.ts'
import { openModels } from './stage.ts'
import { turns, type Turn } from './turns.ts'

/** Which model is refused after its first step, and which one takes over. */
const pairs = [
  ['OpenAI (Responses)', 'Azure'],
  ['Anthropic', 'OpenAI (Responses)'],
  ['Google with thought signatures', 'OpenAI-compatible'],
  ['Amazon Bedrock with signed reasoning', 'Mistral'],
] as const

/** Ids of calls that Mistral would not take. */
const script: Turn[] = turns.map(({ calls, ...turn }) => ({
  ...turn,
  ...(calls && { calls: calls.map((one) => ({ ...one, id: `toolu_${one.id}` })) }),
}))

/** Without thinking: a model that takes over in the middle has not thought about what was called. */
const unthinking = (title: string): Provider => ({ ...providerOf(title), model: {} })

const open = forWholeFile(test, 'other models', async (t) => {
  const mock = await startMock(t, script)
  const one = (title: string, name: string) => written(t, unthinking(title), { name, mock, stream: true })
  const all = await Promise.all(
    pairs.map(async ([from, to], index) => [await one(from, `from-${index}`), await one(to, `to-${index}`)] as const),
  )
  const { platform, sites } = await openModels(
    t,
    all.flatMap((pair) => pair.map(({ provider }) => provider)),
  )
  const someone = await customer(platform, 'enterprise')
  return { all, someone, vaultEntryId: await connectBadTools(someone, sites) }
})

/** The requests to the model that takes over at the second step. */
async function takenOver(t: ExecutionContext, index: number) {
  const { all, someone, vaultEntryId } = await open()
  const [from, to] = all[index] ?? t.fail()
  from.relay.refuse(2)
  const [model, fallbackModel] = [from.provider.name, to.provider.name]
  const agent = await agentOf(someone, { model, fallbackModel, sites: [{ vaultEntryId }] })
  const { id } = (await start(someone, agent)).body
  t.like(await ended(someone, id, 150), { status: 'completed', steps: 4 })
  t.like(dataOf(await timelineOf(someone, id), 'model.changed'), [{ from: model, to: fallbackModel, step: 2 }])
  t.is(from.relay.received().filter((one) => !isProbe(one)).length, 2)
  return to.relay.bodies().filter((body) => !isProbe(body))
}

for (const [index, [from, to]] of pairs.entries()) {
  test(`the reasoning of one model is not shown to another, which takes over what was said and called (${from}, then ${to})`, async (t) => {
    const requests = await takenOver(t, index)
    t.is(requests.length, 3)
    const { text = '', reasoning = '', signature = '' } = turns[0] ?? {}
    const texts = stringsIn(requests[0])
    t.true(texts.includes(text))
    t.is(texts.filter((one) => one.includes('<<<untrusted result ')).length, 2)
    for (const foreign of [reasoning, signature]) t.false(texts.some((one) => one.includes(foreign)))
    // Items of OpenAI: what is encrypted, and their ids.
    t.false(texts.some((one) => /^YWltb2Nr|^(rs|fc|msg)[-_]/.test(one)))
    // Its own reasoning goes back to it.
    const { returned, wanted } = providerOf(to)
    t.deepEqual(returned(requests[1] ?? {}), turns.slice(1, 2).flatMap(wanted))
    if (to === 'Mistral') areOfMistral(t, requests)
  })
}

/** Mistral refuses other ids. */
function areOfMistral(t: ExecutionContext, requests: Record<string, unknown>[]): void {
  for (const request of requests) {
    const calls = valuesOf(request, 'tool_calls').flat() as { id: string }[]
    const ids = calls.map(({ id }) => id)
    t.true(ids.length >= 2)
    t.is(new Set(ids).size, ids.length)
    for (const id of ids) t.regex(id, /^[a-zA-Z0-9]{9}$/)
    t.deepEqual(valuesOf(request, 'tool_call_id'), ids)
  }
}
