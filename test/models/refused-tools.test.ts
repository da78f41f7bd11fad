import test from 'ava'
import * as siteInspection from '../../api/site-inspection.ts'
import * as vault from '../../api/vault.ts'
import { historyOf, openSession, send } from '../chat/stage.ts'
import { call } from '../helpers/client.ts'
import { customer } from '../helpers/people.ts'
import { startToolsSite } from '../helpers/tools-site.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { events, status, type Act } from './failing-provider.ts'
import { sharedModels } from './shared-models.ts'
import { runOnce } from './stage-of-provider.ts'
import { anthropic, answers, chat, type WireCall } from './wire.ts'

/* Tools that providers refuse: fitted, or left out alone and named. */

const plain = { type: 'object', properties: { id: { type: 'string' } } }
const either = {
  type: 'object',
  properties: { id: { type: 'string' }, 'user name': { type: 'string' }, account: { type: 'integer' } },
  anyOf: [{ required: ['id'] }, { required: ['user name'] }],
}
const many = Array.from({ length: 140 }, (_, index) => ({ name: `tool_${index}`, input_schema: plain }))

const models = sharedModels(test)
const stage = forWholeFile(test, 'refused tools', async (t) => {
  const desk = await startToolsSite(t, [
    { name: 'find', input_schema: either },
    { name: 'odd', input_schema: plain },
    { name: 'other', input_schema: plain },
  ])
  const crowd = await startToolsSite(t, many)
  return { desk, crowd, ...(await models()) }
})

type Body = Record<string, unknown>

/** The tools of a request, whatever the protocol. */
const toolsIn = ({ tools = [] }: Body): { name: string; description: string; schema: Record<string, unknown> }[] =>
  (tools as Record<string, never>[]).map((tool) => {
    const inner = tool['function'] ?? tool
    return { ...inner, schema: inner['parameters'] ?? inner['input_schema'] } as never
  })

async function connected(site: 'desk' | 'crowd') {
  const { platform, ...sites } = await stage()
  const someone = await customer(platform)
  const { body } = await call(someone, vault.addToVault, { body: { url: sites[site].origin, token: 'any' } })
  return { someone, sites: [{ vaultEntryId: body.id }] }
}

const asking = (name: string, args: string): WireCall => ({ id: `call_${name}`, name, arguments: args })

for (const { asked, first, last } of [
  { asked: 'chat' as const, first: (one: WireCall) => chat.asking([one]), last: answers.chat() },
  { asked: 'anthropic' as const, first: anthropic.asking, last: answers.anthropic() },
]) {
  test(`a schema that its provider would refuse is fitted, and a call still has to fit the site's own (${asked})`, async (t) => {
    const { provider, desk, play } = await stage()
    const { someone, sites } = await connected('desk')
    const long = `{"user_name_7935f403":"${asked}","account":12345678901234567890}`
    const model = play([events(first(asking('find', '{}'))), events(first(asking('find', long))), events(last)], asked)
    const { run, outcomes } = await runOnce(someone, { model, sites })
    t.is(run.status, 'completed')
    const [sent, ...others] = toolsIn(provider.requestsOf(model)[0]!.body)
    t.deepEqual([sent?.name, ...others.map(({ name }) => name)], ['find', 'odd', 'other'])
    t.deepEqual(Object.keys(sent?.schema ?? {}).toSorted(), ['properties', 'type'])
    t.deepEqual(Object.keys(sent?.schema['properties'] as object), ['id', 'user_name_7935f403', 'account'])
    t.regex(sent?.description ?? '', /\{"anyOf":\[\{"required":\["id"\]\},\{"required":\["user_name_7935f403"\]\}\]\}$/)
    t.like(outcomes, [{ status: 'failed' }, { status: 'succeeded' }])
    const received = desk.received.filter(({ arguments: text }) => text.includes(asked))
    t.deepEqual(received, [{ tool: 'find', arguments: `{"user name":"${asked}","account":12345678901234567890}` }])
  })
}

/** Refuses a request as long as it has the tool. */
const refusing =
  (name: string, body: (index: number) => object, otherwise: Act): Act =>
  (response, request) => {
    const index = toolsIn(request.body).findIndex((tool) => tool.name === name)
    return (index < 0 ? otherwise : status(400, {}, JSON.stringify(body(index))))(response, request)
  }

/** In which words providers say so is a table of the rule. */
const refusal = (index: number) => ({
  error: {
    message: "Invalid schema for function 'odd': schema must have type 'object'.",
    param: `tools[${index}].function.parameters`,
  },
})

test('a tool that a provider refuses is left out alone, named on the timeline, and remembered for its owner', async (t) => {
  const { provider, play } = await stage()
  const { someone, sites } = await connected('desk')
  const model = play([refusing('odd', refusal, events(answers.chat()))])
  const { run, steps, failures } = await runOnce(someone, { model, sites })
  t.is(run.status, 'completed')
  t.deepEqual(failures, [])
  t.like(steps[0]?.['missingSites'], [{ name: 'Desk', reason: 'refused_tools', tools: ['odd'] }])
  const offered = () => provider.requestsOf(model).map(({ body }) => toolsIn(body).map(({ name }) => name))
  const [all, others] = [
    ['find', 'odd', 'other'],
    ['find', 'other'],
  ]
  t.deepEqual(offered(), [all, others])
  const again = await runOnce(someone, { model, sites })
  t.deepEqual(offered(), [all, others, others], 'it is known for the next request')
  t.like(again.steps[0]?.['missingSites'], [{ reason: 'refused_tools', tools: ['odd'] }])
  t.regex(JSON.stringify(provider.requestsOf(model).at(-1)?.body), /the provider of this model refuses them: odd/)
  const neighbour = await connected('desk')
  await runOnce(neighbour.someone, { model, sites: neighbour.sites })
  t.deepEqual(offered().at(-2), all, 'another owner has learnt nothing from it')

  const session = await openSession(neighbour.someone, {
    model: play([refusing('odd', refusal, events(chat.all('Here I am.')))]),
    sites: neighbour.sites,
  })
  t.regex(await (await send(session, { text: 'Hello.' })).text(), /Here I am\./, 'in a chat, too')
  t.is((await historyOf(session)).items.at(-1)?.status, 'completed')
})

test('a request that is refused for something else is made once, and fails', async (t) => {
  const { provider, play } = await stage()
  const { someone, sites } = await connected('desk')
  const model = play([status(400, {}, '{"error":{"message":"temperature must be at most 1"}}')])
  const { run, failures } = await runOnce(someone, { model, sites })
  t.is(run.status, 'failed')
  t.regex(String(failures[0]?.['message']), /rejected the request \(status 400\)/)
  t.is(provider.requestsOf(model).length, 1)
})

test('of more tools than a provider takes, the first 128 are offered, and the others are named', async (t) => {
  const { provider, play } = await stage()
  const { someone, sites } = await connected('crowd')
  const model = play([events(chat.all())])
  const { run, steps } = await runOnce(someone, { model, sites })
  t.is(run.status, 'completed')
  t.is(toolsIn(provider.requestsOf(model)[0]!.body).length, 128)
  const tools = many.slice(128).map(({ name }) => name)
  t.like(steps[0]?.['missingSites'], [{ name: 'Desk', reason: 'too_many_tools', tools }])
})

test('whoever looks at a site before connecting it reads what of its tools models are not sent', async (t) => {
  const { desk, crowd } = await stage()
  const { someone } = await connected('desk')
  const inspect = async ({ origin }: { origin: string }) =>
    (await call(someone, siteInspection.inspectSite, { body: { url: origin } })).body.warnings
  const warnings = await inspect(desk)
  t.deepEqual(
    warnings.map(({ tool }) => tool),
    ['find', 'find'],
  )
  t.regex(warnings[0]?.message ?? '', /"user name" is called "user_name_7935f403"/)
  t.regex(warnings[1]?.message ?? '', /"anyOf"/)
  t.like(await inspect(crowd), [{ tool: 'tool_128' }])
})
