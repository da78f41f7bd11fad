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

const models = sharedModels(test, {
  chat: ['fitted', 'picky', 'picky-chat', 'crowded', 'unfit'],
  anthropic: ['claude'],
  responses: ['gpt'],
})
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

for (const { model, first, last } of [
  { model: 'fitted', first: (one: WireCall) => chat.asking([one]), last: answers.chat() },
  { model: 'claude', first: anthropic.asking, last: answers.anthropic() },
]) {
  test(`a schema that ${model}'s provider would refuse is fitted, and a call still has to fit the site's own`, async (t) => {
    const { provider, desk } = await stage()
    const { someone, sites } = await connected('desk')
    const long = '{"user_name_7935f403":"Ada","account":12345678901234567890}'
    provider.play(model, [events(first(asking('find', '{}'))), events(first(asking('find', long))), events(last)])
    const { run, outcomes } = await runOnce(someone, { model, sites })
    t.is(run.status, 'completed')
    const sent = toolsIn(provider.requestsOf(model)[0]!.body)
    t.deepEqual(
      sent.map(({ name }) => name),
      ['find', 'odd', 'other'],
    )
    const { schema, description } = sent[0]!
    t.deepEqual(Object.keys(schema).toSorted(), ['properties', 'type'])
    t.deepEqual(Object.keys(schema['properties'] as object), ['id', 'user_name_7935f403', 'account'])
    t.regex(description, /\{"anyOf":\[\{"required":\["id"\]\},\{"required":\["user_name_7935f403"\]\}\]\}$/)
    t.like(outcomes[0], { status: 'failed' })
    t.like(outcomes[1], { status: 'succeeded' })
    t.deepEqual(desk.received.at(-1), {
      tool: 'find',
      arguments: '{"user name":"Ada","account":12345678901234567890}',
    })
  })
}

/** Refuses a request as long as it has the tool. */
const refusing =
  (name: string, body: (index: number) => object, otherwise: Act): Act =>
  (response, request) => {
    const index = toolsIn(request.body).findIndex((tool) => tool.name === name)
    return (index < 0 ? otherwise : status(400, {}, JSON.stringify(body(index))))(response, request)
  }

const openAiRefusal = (index: number) => ({
  error: {
    message: "Invalid schema for function 'odd': schema must have type 'object'.",
    type: 'invalid_request_error',
    param: `tools[${index}].function.parameters`,
  },
})
const claudeRefusal = (index: number) => ({
  type: 'error',
  error: { type: 'invalid_request_error', message: `tools.${index}.custom.input_schema: JSON schema is invalid.` },
})

for (const { model, refusal, answer } of [
  { model: 'picky', refusal: openAiRefusal, answer: answers.chat() },
  { model: 'claude', refusal: claudeRefusal, answer: answers.anthropic() },
  { model: 'gpt', refusal: openAiRefusal, answer: answers.responses() },
]) {
  test.serial(`a tool that ${model}'s provider refuses is left out alone, and named on the timeline`, async (t) => {
    const { provider } = await stage()
    const { someone, sites } = await connected('desk')
    provider.play(model, [refusing('odd', refusal, events(answer))])
    const before = provider.requestsOf(model).length
    const { run, steps, failures } = await runOnce(someone, { model, sites })
    t.is(run.status, 'completed')
    t.deepEqual(failures, [])
    t.like(steps[0]?.['missingSites'], [{ name: 'Desk', reason: 'refused_tools', tools: ['odd'] }])
    const offered = () =>
      provider
        .requestsOf(model)
        .slice(before)
        .map(({ body }) => toolsIn(body).map(({ name }) => name))
    t.deepEqual(offered(), [
      ['find', 'odd', 'other'],
      ['find', 'other'],
    ])
    const again = await runOnce(someone, { model, sites })
    t.is(offered().length, 3, 'it is known for the next request')
    t.like(again.steps[0]?.['missingSites'], [{ reason: 'refused_tools', tools: ['odd'] }])
    t.regex(JSON.stringify(provider.requestsOf(model).at(-1)?.body), /the provider of this model refuses them: odd/)
    const neighbour = await connected('desk')
    await runOnce(neighbour.someone, { model, sites: neighbour.sites })
    t.deepEqual(offered().at(-2), ['find', 'odd', 'other'], 'another owner has learnt nothing from it')
  })
}

test('in a chat, a refused tool is left out alone, too', async (t) => {
  const { provider } = await stage()
  const { someone, sites } = await connected('desk')
  provider.play('picky-chat', [refusing('odd', openAiRefusal, events(chat.all('Here I am.')))])
  const session = await openSession(someone, { model: 'picky-chat', sites })
  const answered = await send(session, { text: 'Hello.' })
  t.is(answered.status, 200)
  t.regex(await answered.text(), /Here I am\./)
  t.is((await historyOf(session)).items.at(-1)?.status, 'completed')
  t.deepEqual(
    provider.requestsOf('picky-chat').map(({ body }) => toolsIn(body).length),
    [3, 2],
  )
})

test('a request that is refused for something else is made once, and fails', async (t) => {
  const { provider } = await stage()
  const { someone, sites } = await connected('desk')
  provider.play('unfit', [status(400, {}, '{"error":{"message":"temperature must be at most 1"}}')])
  const { run, failures } = await runOnce(someone, { model: 'unfit', sites })
  t.is(run.status, 'failed')
  t.regex(String(failures[0]?.['message']), /refused the request \(status 400\)/)
  t.is(provider.requestsOf('unfit').length, 1)
})

test('of more tools than a provider takes, the first 128 are offered, and the others are named', async (t) => {
  const { provider } = await stage()
  const { someone, sites } = await connected('crowd')
  provider.play('crowded', [events(chat.all())])
  const { run, steps } = await runOnce(someone, { model: 'crowded', sites })
  t.is(run.status, 'completed')
  t.is(toolsIn(provider.requestsOf('crowded')[0]!.body).length, 128)
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
