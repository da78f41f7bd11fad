// @promise starts
import test from 'ava'
import * as agentRuns from '../../../../api/agent-runs.ts'
import * as runs from '../../../../api/runs.ts'
import { splitFenced } from '../../../../src/models/fence.ts'
import { call } from '../../../helpers/client.ts'
import { agentOf, customer, ended, timelineOf, webhookAgent, type Person } from '../../../helpers/people.ts'
import { cancel, firstMessage, runsOf, start } from '../../../helpers/runs.ts'
import { sharedPlatform } from '../../../helpers/shared.ts'

const working = sharedPlatform(test)
/** Without a worker: what is queued stays queued. */
const idle = sharedPlatform(test, 'idle')

/** Asks for a manual run with this body, as it stands. */
const startWith = (someone: Person, agent: { id: string }, raw: string, headers: Record<string, string> = {}) =>
  call(someone, agentRuns.startRun, { params: { agentId: agent.id }, raw, headers })

const startAs = (key: string, someone: Person, agent: { id: string }, raw: string) =>
  startWith(someone, agent, raw, { 'idempotency-key': key })

const accepted = async (someone: Person, runId: string) => (await timelineOf(someone, runId))[0]?.data ?? {}

test('the input of a manual run stands on its timeline as it came, with numbers of any size, and the run is completed', async (t) => {
  const someone = await customer(await working())
  const agent = await agentOf(someone)
  const text = '{ "id":12345678901234567890, "price":1.0, "a":1, "a":[1e400], "odd":"\\u0000\\ud800" }'
  const { body, status } = await startWith(someone, agent, `{"input": ${text} }`)
  t.is(status, 202)
  t.is((await ended(someone, body.id)).status, 'completed')
  const data = await accepted(someone, body.id)
  t.deepEqual(data['payload'], JSON.parse(JSON.stringify(JSON.parse(text))))
})

test('the model is given the input as data, a text as the text that it is', async (t) => {
  const platform = await idle()
  const someone = await customer(platform)
  const given: [string, string][] = [
    ['{"title":"It is broken","id":9007199254740993}', '{"title":"It is broken","id":9007199254740993}'],
    ['"Two lines:\\none \\"quoted\\"."', 'Two lines:\none "quoted".'],
    ['"{\\"not\\":\\"an object\\"}"', '{"not":"an object"}'],
  ]
  for (const [text, seen] of given) {
    const agent = await agentOf(someone)
    await startWith(someone, agent, `{"input":${text}}`)
    const { words, blocks } = splitFenced(await firstMessage(platform.services, agent))
    t.deepEqual(blocks, [{ kind: 'untrusted payload', text: seen }])
    t.true(words.startsWith('This run was started manually.'))
  }
})

test('a manual run without an input has none, whether no body came or an empty object', async (t) => {
  const platform = await idle()
  const someone = await customer(platform)
  for (const raw of [undefined, '{}', ' {\n} ']) {
    const agent = await agentOf(someone)
    const { status, body } = await (raw === undefined ? start(someone, agent) : startWith(someone, agent, raw))
    t.is(status, 202)
    t.deepEqual((await accepted(someone, body.id))['payload'], null)
    t.is(await firstMessage(platform.services, agent), 'This run was started manually.')
  }
})

test('an input is neither checked against the webhook schema nor does its action replace the prompt', async (t) => {
  const platform = await idle()
  const someone = await customer(platform)
  const webhookSchema = [{ name: 'title', type: 'string' as const }]
  const agent = await webhookAgent(someone, { webhookSchema, allowActionOverride: true })
  const { body } = await startWith(someone, agent, '{"input":{"action":"Do something else."}}')
  await platform.services.runs.queue.claimNext(agent.id)
  const [, started] = await timelineOf(someone, body.id)
  t.like(started?.data, { override: 'absent', systemPrompt: 'Report.' })
})

test('a start that is repeated under its key must have the same input, as it stands in the body', async (t) => {
  const someone = await customer(await idle())
  const input = '{"input":{"a":1.0,"b":"x"}}'
  const agent = await agentOf(someone)
  const { id } = (await startAs('one', someone, agent, input)).body
  for (const same of [input, '{ "input" : {"a":1.0,"b":"x"} }'])
    t.is((await startAs('one', someone, agent, same)).body.id, id, same)
  const others = ['{"input":{"a":1,"b":"x"}}', '{"input":{"b":"x","a":1.0}}', '{"input":"a"}', '{}']
  const conflicts = async () => {
    for (const other of others) {
      const { failure } = await startAs('one', someone, agent, other)
      t.like(failure, { code: 'VALIDATION_ERROR', details: [{ path: 'Idempotency-Key' }] }, other)
      t.true(failure.error.includes(id))
    }
  }
  await conflicts()
  await cancel(someone, id)
  await conflicts()
  t.is((await runsOf(someone, agent)).length, 1)

  const second = (await startAs('two', someone, agent, '{}')).body
  t.is((await startAs('two', someone, agent, input)).failure.code, 'VALIDATION_ERROR', 'none, and then one')
  t.is((await startAs('two', someone, agent, '{}')).body.id, second.id)
})

test('the replay of a manual run has its input, as it came', async (t) => {
  const someone = await customer(await idle())
  const agent = await agentOf(someone)
  const text = '{"title":"It is broken"}'
  const { id } = (await startWith(someone, agent, `{"input":${text}}`)).body
  await cancel(someone, id)
  const replayed = (await call(someone, runs.replayRun, { params: { runId: id } })).body
  t.like(await accepted(someone, replayed.id), { payload: JSON.parse(text), replayOf: id, trigger: 'manual' })
})

test('what is no input is refused with its place, and starts nothing', async (t) => {
  const { config, ...platform } = await idle()
  const someone = await customer(platform)
  const agent = await agentOf(someone)
  for (const value of ['null', '1', '[{}]', '""']) {
    const { failure } = await startWith(someone, agent, `{"input":${value}}`)
    t.like(failure, { code: 'VALIDATION_ERROR', details: [{ path: 'input' }] }, value)
  }
  const bodies = ['[]', '{"input":{}', '{"input":{},"more":1}', '{"__proto__":{},"input":{}}']
  for (const raw of bodies) t.is((await startWith(someone, agent, raw)).failure.code, 'VALIDATION_ERROR', raw)
  const limit = config.bodies.webhookBytes
  const long = (bytes: number) => `{"input":"${'x'.repeat(bytes - 12)}"}`
  t.is(long(limit).length, limit)
  t.is((await startWith(someone, agent, long(limit + 1))).failure.code, 'VALIDATION_ERROR')
  t.deepEqual(await runsOf(someone, agent), [])
  t.is((await startWith(someone, agent, long(limit))).status, 202)
})
