import test from 'ava'
import * as agents from '../../api/agents.ts'
import * as runs from '../../api/runs.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { agentOf, customer, ended, runOf, timelineOf, type Person } from '../helpers/people.ts'
import { dataOf, start } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { envFor, startReceiver, verified } from '../src/callbacks/open-callbacks.ts'
import { chatProvider, startChat, type ChatRequest, type Said } from './scripted-chat.ts'
import { openModels } from './stage.ts'

type Schema = Record<string, unknown>

const issue = { type: 'object', properties: { issue: { type: 'integer' } }, required: ['issue'] }

/** What the model at the server says next, in order, by the prompt of the agent; each agent has its own. */
const scripts = new Map<string, (Said | Promise<Said>)[]>()

const promptIn = ({ messages }: ChatRequest): string => String(messages[0]?.content).split('\n')[0] ?? ''

const open = forWholeFile(test, 'structured output', async (t) => {
  const receiver = await startReceiver(t)
  const chat = await startChat(t, async (request) => (await scripts.get(promptIn(request))?.shift()) ?? 'Nothing.')
  const demo = { name: 'demo', kind: 'demo', models: [{ id: 'demo' }] }
  const providers = [
    demo,
    chatProvider('chat', chat.baseUrl),
    chatProvider('native', chat.baseUrl, { structuredOutput: true }),
  ]
  const { platform } = await openModels(t, providers, { env: await envFor([receiver]) })
  return { platform, receiver, chat, someone: await customer(platform) }
})

let count = 0

/** Runs an agent whose model at the server says these texts, one after the other. */
async function saying(said: (Said | Promise<Said>)[], fields: Parameters<typeof agentOf>[1] = {}) {
  const { someone, chat } = await open()
  count += 1
  const systemPrompt = `Prompt ${count}.`
  scripts.set(systemPrompt, [...said])
  const agent = await agentOf(someone, { systemPrompt, model: 'chat', outputSchema: issue, ...fields })
  const { id } = (await start(someone, agent)).body
  const requests = () => chat.requests.filter((request) => promptIn(request) === systemPrompt)
  return { someone, agent, id, requests }
}

async function endOf(someone: Person, id: string) {
  const run = await ended(someone, id, 150)
  return { run, steps: dataOf(await timelineOf(someone, id), 'step.finished') }
}

/** The body of the answer about a run, as it came. */
async function textOf({ url, token }: Person, id: string): Promise<string> {
  const answer = await fetch(`${url}/runs/${id}`, { headers: { authorization: `Bearer ${token}` } })
  return answer.text()
}

test('an answer that fits is the output of its run, with every digit', async (t) => {
  const { someone, id, requests } = await saying(['```json\n{"issue": 9007199254740993}\n```'])
  const { run, steps } = await endOf(someone, id)
  t.like(run, { status: 'completed', steps: 1 })
  t.is(requests().length, 1)
  t.regex(await textOf(someone, id), /"output":\{"issue":9007199254740993\}/)
  t.like(steps, [{ text: '```json\n{"issue": 9007199254740993}\n```', output: run.output }])
  const { items } = (await call(someone, runs.listRuns)).body
  t.false('output' in (items.find((item) => item.id === id) ?? { output: 0 }), 'lists leave it out')
})

test('an answer that does not fit is corrected once, with the problems named', async (t) => {
  const { someone, id, requests } = await saying(['{"issue":"the first"}', '{"issue":4711}'])
  const { run, steps } = await endOf(someone, id)
  t.like(run, { status: 'completed', steps: 2, answer: '{"issue":4711}', output: { issue: 4711 } })
  const problem = '"issue" is of the type "string", expected "integer"'
  t.like(steps, [{ outcome: 'off_schema', remark: problem }, { output: { issue: 4711 } }])
  t.false('output' in (steps[0] ?? {}))
  const [first, second, ...more] = requests()
  t.deepEqual(more, [])
  t.true(first?.messages.at(-1)?.content?.includes(JSON.stringify(issue)))
  t.deepEqual(second?.messages.slice(0, -2), first?.messages)
  const [answer, correction] = second?.messages.slice(-2) ?? []
  t.like(answer, { role: 'assistant', content: '{"issue":"the first"}' })
  t.is(correction?.role, 'user')
  t.regex(correction?.content ?? '', /^Your answer does not fit the JSON Schema/)
  t.true(correction?.content?.includes(`>>>\n${problem}\n<<<end `), 'fenced: the model wrote some of it')
})

test('a second answer that does not fit ends the run, and what was said stays on the timeline', async (t) => {
  const said = ['Here you are: {"issue":1}', '{"issue":1} I hope this helps!']
  const { someone, id, requests } = await saying(said)
  const { run, steps } = await endOf(someone, id)
  t.like(run, { status: 'failed', reason: 'OUTPUT_INVALID', answer: null, output: null, steps: 2 })
  t.is(requests().length, 2)
  const remark = 'it is not one JSON value with nothing before or after it'
  t.like(
    steps,
    said.map((text) => ({ text, outcome: 'off_schema', remark })),
  )
})

test('the callback of a run carries its output, digit by digit, and null if there is none', async (t) => {
  const { receiver } = await open()
  const callbackUrl = receiver.url
  const postOf = (runId: string) =>
    eventually(30, 'the callback comes', async () => receiver.posted.find(({ body }) => body.includes(runId)))
  const good = await saying(['{"issue":12345678901234567890}'], { callbackUrl })
  const post = await postOf(good.id)
  t.true(post.body.includes('"output":{"issue":12345678901234567890}'))
  t.like(verified(good.agent.callbackSecret, post), { type: 'run.completed' })
  const bad = await saying(['No.', 'No.'], { callbackUrl })
  const { type, data } = verified(bad.agent.callbackSecret, await postOf(bad.id))
  t.is(type, 'run.failed')
  t.like(data, { reason: 'OUTPUT_INVALID', answer: 'No.', output: null })
  const plain = await saying(['{"issue":1}'], { callbackUrl, outputSchema: null })
  t.like(verified(plain.agent.callbackSecret, await postOf(plain.id)).data, { answer: '{"issue":1}', output: null })
})

test('a run that was not completed has no output, even if its last answer fits', async (t) => {
  const { receiver } = await open()
  const said = { content: '{"issue":1}', finish: 'content_filter' }
  const { someone, agent, id } = await saying([said], { callbackUrl: receiver.url })
  const { run } = await endOf(someone, id)
  t.like(run, { status: 'failed', reason: 'MODEL_ERROR', output: null })
  const post = await eventually(30, 'the callback comes', async () =>
    receiver.posted.find(({ body }) => body.includes(id)),
  )
  t.like(verified(agent.callbackSecret, post).data, { answer: '{"issue":1}', output: null })
})

test('an agent without a schema says what it likes', async (t) => {
  const { someone, id, requests } = await saying(['Done.'], { outputSchema: null })
  const { run, steps } = await endOf(someone, id)
  t.like(run, { status: 'completed', answer: 'Done.', output: null })
  t.false('output' in (steps[0] ?? {}))
  t.false(requests()[0]?.messages.at(-1)?.content?.includes('JSON Schema'))
})

test('a changed schema counts from the next run on, a replay included, and null ends it', async (t) => {
  const held = Promise.withResolvers<string>()
  const { someone, agent, id, requests } = await saying([held.promise, '{"issue":2}', '{"title":"x"}', 'Free.'])
  await eventually(20, 'the model is asked', async () => requests()[0])
  const change = (outputSchema: Schema | null) =>
    call(someone, agents.updateAgent, { params: { agentId: agent.id }, body: { outputSchema } })
  const title = { type: 'object', required: ['title'] }
  t.deepEqual((await change(title)).body.outputSchema, title)
  held.resolve('{"issue":1}')
  t.like((await endOf(someone, id)).run, { status: 'completed', output: { issue: 1 } })

  const again = (await call(someone, runs.replayRun, { params: { runId: id } })).body
  const { run, steps } = await endOf(someone, again.id)
  t.like(run, { status: 'completed', output: { title: 'x' }, steps: 2 })
  t.is(steps[0]?.['remark'], 'it does not have required property "title"')
  t.like(await runOf(someone, id), { output: { issue: 1 } })

  t.is((await change(null)).body.outputSchema, null)
  const { id: free } = (await start(someone, agent)).body
  t.like((await endOf(someone, free)).run, { status: 'completed', answer: 'Free.', output: null })
})

test('a hostile answer is refused in bounded words', async (t) => {
  const outputSchema = { type: 'array', items: { type: 'integer' }, maxItems: 5 }
  const strangers = JSON.stringify(Array.from({ length: 500 }, () => 'x'))
  const answers: [answer: string, remark: RegExp][] = [
    ['['.repeat(200_000), /nested deeper than 100 levels/],
    [`["${'x'.repeat(300_000)}"]`, /at most 262144 characters/],
    [strangers, /; and 10 more$/],
  ]
  for (const [answer, remark] of answers) {
    const { someone, id, requests } = await saying([answer, '[1]'], { outputSchema })
    const { run, steps } = await endOf(someone, id)
    t.like(run, { status: 'completed', output: [1], steps: 2 })
    t.regex(String(steps[0]?.['remark']), remark)
    t.true(String(steps[0]?.['remark']).length < 4000)
    t.is(requests().length, 2)
  }
})

test('a pathological pattern takes the time of its length', async (t) => {
  const outputSchema = { type: 'string', pattern: '^(a+)+$' }
  const { someone, id } = await saying([`"${'a'.repeat(5000)}!"`, '"aa"'], { outputSchema })
  t.like((await endOf(someone, id)).run, { status: 'completed', output: 'aa', steps: 2 })
})

test('a schema that cannot be used is refused with its places, when an agent is made and when it is changed', async (t) => {
  const { someone } = await open()
  const patterns = Array.from({ length: 400 }, (_, index) => [`p${index}`, { pattern: `${index}x{990}` }])
  const deep = Array.from({ length: 30 }).reduce<Schema>((inner) => ({ not: inner }), {})
  const refused: [schema: Schema, path: RegExp][] = [
    [{ $ref: 'https://example.com/schema' }, /^outputSchema\.\$ref$/],
    [{ properties: { a: { type: 'text' }, b: { pattern: '(a)\\1' } } }, /^outputSchema\.properties\.a\.type$/],
    [deep, /^outputSchema(\.not){20}$/],
    [{ properties: Object.fromEntries(patterns) }, /^outputSchema\.properties\.p\d+\.pattern$/],
    [{ title: 'x'.repeat(20_000) }, /^outputSchema$/],
  ]
  const agent = await agentOf(someone)
  for (const [outputSchema, path] of refused) {
    const body = { name: 'An agent', systemPrompt: 'Report.', trigger: 'manual', outputSchema } as const
    const made = await call(someone, agents.createAgent, { body })
    const changed = await call(someone, agents.updateAgent, { params: { agentId: agent.id }, body: { outputSchema } })
    for (const { failure } of [made, changed]) {
      t.is(failure.code, 'VALIDATION_ERROR')
      t.regex(failure.details?.[0]?.path ?? '', path)
    }
  }
  const params = { agentId: agent.id }
  t.is((await call(someone, agents.getAgent, { params })).body.outputSchema, null)
})

test('a model that can is asked for the schema in the way of its provider, unless it is offered tools', async (t) => {
  const { someone, id, requests } = await saying(['{"issue":1}'], { model: 'native' })
  await endOf(someone, id)
  const format = { name: 'answer', schema: issue, strict: false }
  t.deepEqual(requests()[0]?.response_format, { type: 'json_schema', json_schema: format })
  const plain = await saying(['{"issue":1}'])
  await endOf(plain.someone, plain.id)
  t.false('response_format' in (plain.requests()[0] ?? {}))
})

test('the demo model answers with a value that fits, and corrects itself', async (t) => {
  const { someone } = await open()
  const outputSchema = {
    type: 'object',
    properties: { report: { type: 'string' }, calls: { type: 'integer', minimum: 1 }, kind: { enum: ['one', 'two'] } },
    required: ['report', 'calls', 'kind'],
    additionalProperties: false,
  }
  const outcomeOf = async (systemPrompt: string) => {
    const agent = await agentOf(someone, { systemPrompt, outputSchema, model: 'demo' })
    return endOf(someone, (await start(someone, agent)).body.id)
  }
  const report = 'This run was started by hand. I was offered no tools, so I called none.'
  const output = { report, calls: 1, kind: 'one' }
  t.like((await outcomeOf('Report.')).run, { status: 'completed', steps: 1, output })
  const said = await outcomeOf('[[say {"report":"Mine.","calls":3,"kind":"two"}]]')
  t.like(said.run, { steps: 1, output: { report: 'Mine.', calls: 3, kind: 'two' } })
  const corrected = await outcomeOf('[[say Mine.]]')
  t.like(corrected.run, { status: 'completed', steps: 2, output })
  t.like(corrected.steps[0], { text: 'Mine.', outcome: 'off_schema' })
})
