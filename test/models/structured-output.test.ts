import test from 'ava'
import * as agents from '../../api/agents.ts'
import * as runs from '../../api/runs.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { agentOf, customer, ended, runOf, timelineOf, type Person } from '../helpers/people.ts'
import { dataOf, start } from '../helpers/runs.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { startReceiver, verified } from '../src/callbacks/open-callbacks.ts'
import { whole, type Act } from './failing-provider.ts'
import { sharedModels } from './shared-models.ts'
import { chat } from './wire.ts'

type Schema = Record<string, unknown>

const issue = { type: 'object', properties: { issue: { type: 'integer' } }, required: ['issue'] }

const platformOf = sharedPlatform(test)
const models = sharedModels(test, { 'chat-whole': [{ id: 'native', structuredOutput: true }] })
const open = forWholeFile(test, 'structured output', async (t) => {
  const stage = await models()
  return { ...stage, receiver: await startReceiver(t), someone: await customer(stage.platform) }
})

const saying = (content: string, finish?: string) => whole(chat.whole({ content }, finish))

/** Runs an agent whose model says these texts, one after the other. */
async function running(said: (string | Act)[], fields: Parameters<typeof agentOf>[1] = {}) {
  const { someone, play, provider } = await open()
  const acts = said.map((one) => (typeof one === 'string' ? saying(one) : one))
  const { model = play(acts, 'chat-whole') } = fields
  if (model === 'native') provider.play(model, acts)
  const agent = await agentOf(someone, { model, outputSchema: issue, ...fields })
  const { id } = (await start(someone, agent)).body
  const requests = () =>
    provider
      .requestsOf(String(model))
      .map(({ body }) => body as { messages: { role: string; content: string }[]; response_format?: unknown })
  return { someone, agent, id, requests }
}

async function endOf(someone: Person, id: string) {
  const run = await ended(someone, id, 60)
  return { run, steps: dataOf(await timelineOf(someone, id), 'step.finished') }
}

test('an answer that fits is the output of its run, with every digit', async (t) => {
  const said = '```json\n{"issue": 9007199254740993}\n```'
  const { someone, id, requests } = await running([said])
  const { run, steps } = await endOf(someone, id)
  t.like(run, { status: 'completed', steps: 1 })
  t.is(requests().length, 1)
  t.false('response_format' in (requests()[0] ?? {}), 'only a model that can is asked in the way of its provider')
  const shown = await fetch(`${someone.url}/runs/${id}`, { headers: { authorization: `Bearer ${someone.token}` } })
  t.regex(await shown.text(), /"output":\{"issue":9007199254740993\}/)
  t.like(steps, [{ text: said, output: run.output }])
  const { items } = (await call(someone, runs.listRuns)).body
  t.false('output' in (items.find((item) => item.id === id) ?? { output: 0 }), 'lists leave it out')

  const native = await running(['{"issue":1}'], { model: 'native' })
  await endOf(someone, native.id)
  const format = { name: 'answer', schema: issue, strict: false }
  t.deepEqual(native.requests()[0]?.response_format, { type: 'json_schema', json_schema: format })
})

test('an answer that does not fit is corrected once, with the problems named, and a second one ends the run', async (t) => {
  const { someone, id, requests } = await running(['{"issue":"the first"}', '{"issue":4711}'])
  const { run, steps } = await endOf(someone, id)
  t.like(run, { status: 'completed', steps: 2, answer: '{"issue":4711}', output: { issue: 4711 } })
  const problem = '"issue" has the type "string", expected "integer"'
  t.like(steps, [{ outcome: 'off_schema', remark: problem }, { output: { issue: 4711 } }])
  t.false('output' in (steps[0] ?? {}))
  const [first, second, ...more] = requests()
  t.deepEqual(more, [])
  t.true(first?.messages.at(-1)?.content.includes(JSON.stringify(issue)))
  t.deepEqual(second?.messages.slice(0, -2), first?.messages)
  const [answer, correction] = second?.messages.slice(-2) ?? []
  t.like(answer, { role: 'assistant', content: '{"issue":"the first"}' })
  t.regex(correction?.content ?? '', /^Your last answer does not match the required JSON Schema/)
  t.true(correction?.content.includes(`>>>\n${problem}\n<<<end `), 'fenced: the model wrote some of it')

  const said = ['Here you are: {"issue":1}', '{"issue":1} I hope this helps!']
  const wrong = await running(said)
  const over = await endOf(someone, wrong.id)
  t.like(over.run, { status: 'failed', reason: 'OUTPUT_INVALID', answer: null, output: null, steps: 2 })
  const remark = 'it must be a single JSON value with no text before or after it'
  const offSchema = said.map((text) => ({ text, outcome: 'off_schema', remark }))
  t.like(over.steps, offSchema)
})

test('the callback of a run carries its output, digit by digit, and null if there is none or the run failed', async (t) => {
  const { receiver } = await open()
  const schema = { outputSchema: issue }
  const endings: [said: (string | Act)[], fields: object, told: object, type: string][] = [
    [['{"issue":1}'], schema, { answer: '{"issue":1}', output: { issue: 1 } }, 'run.completed'],
    [['No.', 'No.'], schema, { reason: 'OUTPUT_INVALID', answer: 'No.', output: null }, 'run.failed'],
    [['{"issue":1}'], { outputSchema: null }, { answer: '{"issue":1}', output: null }, 'run.completed'],
    [[saying('{"issue":1}', 'content_filter')], schema, { answer: '{"issue":1}', output: null }, 'run.failed'],
  ]
  const postOf = (runId: string) =>
    eventually(30, 'the callback comes', async () => receiver.posted.find(({ body }) => body.includes(runId)))
  for (const [said, fields, told, type] of endings) {
    const { agent, id } = await running(said, { callbackUrl: receiver.url, ...fields })
    const ending = verified(agent.callbackSecret, await postOf(id))
    t.is(ending.type, type)
    t.like(ending.data, told)
  }
  const long = await running(['{"issue":12345678901234567890}'], { callbackUrl: receiver.url })
  t.true((await postOf(long.id)).body.includes('"output":{"issue":12345678901234567890}'))
})

test('a changed schema counts from the next run on, a replay included, and null ends it', async (t) => {
  const held = Promise.withResolvers<void>()
  const first: Act = async (...given) => {
    await held.promise
    return saying('{"issue":1}')(...given)
  }
  const { someone, agent, id, requests } = await running([first, '{"issue":2}', '{"title":"x"}', 'Free.'])
  await eventually(20, 'the model is asked', async () => requests()[0])
  const change = (outputSchema: Schema | null) =>
    call(someone, agents.updateAgent, { params: { agentId: agent.id }, body: { outputSchema } })
  const title = { type: 'object', required: ['title'] }
  t.deepEqual((await change(title)).body.outputSchema, title)
  held.resolve()
  t.like((await endOf(someone, id)).run, { status: 'completed', output: { issue: 1 } })

  const again = (await call(someone, runs.replayRun, { params: { runId: id } })).body
  const { run, steps } = await endOf(someone, again.id)
  t.like(run, { status: 'completed', output: { title: 'x' }, steps: 2 })
  t.is(steps[0]?.['remark'], 'it does not have required property "title"')
  t.like(await runOf(someone, id), { output: { issue: 1 } })

  t.is((await change(null)).body.outputSchema, null)
  const free = await endOf(someone, (await start(someone, agent)).body.id)
  t.like(free.run, { status: 'completed', answer: 'Free.', output: null })
  t.false('output' in (free.steps[0] ?? {}))
  t.false(requests().at(-1)?.messages.at(-1)?.content.includes('JSON Schema'))
})

test('a hostile answer is refused in bounded words, and in the time of its length', async (t) => {
  const list = { type: 'array', items: { type: 'integer' }, maxItems: 5 }
  const strangers = JSON.stringify(Array.from({ length: 500 }, () => 'x'))
  const answers: [outputSchema: Schema, answer: string, good: unknown, remark: RegExp][] = [
    [list, strangers, [1], /; and 10 more$/],
    [list, '['.repeat(50_000), [1], /nested more than 100 levels deep/],
    [{ type: 'string', pattern: '^(a+)+$' }, `"${'a'.repeat(5000)}!"`, 'aa', /./],
  ]
  for (const [outputSchema, answer, good, remark] of answers) {
    const { someone, id } = await running([answer, JSON.stringify(good)], { outputSchema })
    const { run, steps } = await endOf(someone, id)
    t.like(run, { status: 'completed', output: good, steps: 2 })
    t.regex(String(steps[0]?.['remark']), remark)
    t.true(String(steps[0]?.['remark']).length < 4000)
  }
})

test('a schema that cannot be used is refused with its places, when an agent is made and when it is changed', async (t) => {
  const { someone } = await open()
  const deep = Array.from({ length: 30 }).reduce<Schema>((inner) => ({ not: inner }), {})
  const refused: [schema: Schema, path: RegExp][] = [
    [{ $ref: 'https://example.com/schema' }, /^outputSchema\.\$ref$/],
    [{ properties: { a: { type: 'text' }, b: { pattern: '(a)\\1' } } }, /^outputSchema\.properties\.a\.type$/],
    [deep, /^outputSchema(\.not){20}$/],
    [{ title: 'x'.repeat(20_000) }, /^outputSchema$/],
  ]
  const agent = await agentOf(someone)
  const params = { agentId: agent.id }
  for (const [outputSchema, path] of refused) {
    const body = { name: 'An agent', systemPrompt: 'Report.', trigger: 'manual', outputSchema } as const
    const made = await call(someone, agents.createAgent, { body })
    const changed = await call(someone, agents.updateAgent, { params, body: { outputSchema } })
    for (const { failure } of [made, changed]) {
      t.is(failure.code, 'VALIDATION_ERROR')
      t.regex(failure.details?.[0]?.path ?? '', path)
    }
  }
  t.is((await call(someone, agents.getAgent, { params })).body.outputSchema, null)
})

test('the demo model answers with a value that fits, and corrects itself', async (t) => {
  const someone = await customer(await platformOf())
  const outputSchema = {
    type: 'object',
    properties: { report: { type: 'string' }, calls: { type: 'integer', minimum: 1 }, kind: { enum: ['one', 'two'] } },
    required: ['report', 'calls', 'kind'],
    additionalProperties: false,
  }
  const output = {
    report: 'This run was started manually. I have no tools, so I called none.',
    calls: 1,
    kind: 'one',
  }
  const prompts: [systemPrompt: string, run: object][] = [
    ['Report.', { steps: 1, output }],
    [
      '[[say {"report":"Mine.","calls":3,"kind":"two"}]]',
      { steps: 1, output: { report: 'Mine.', calls: 3, kind: 'two' } },
    ],
    ['[[say Mine.]]', { steps: 2, output }],
  ]
  for (const [systemPrompt, expected] of prompts) {
    const agent = await agentOf(someone, { systemPrompt, outputSchema })
    t.like((await endOf(someone, (await start(someone, agent)).body.id)).run, { status: 'completed', ...expected })
  }
})
