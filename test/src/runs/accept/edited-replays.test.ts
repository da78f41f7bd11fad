// @promise replays
import test from 'ava'
import * as agents from '../../../../api/agents.ts'
import * as agentRuns from '../../../../api/agent-runs.ts'
import { replayRun } from '../../../../api/runs.ts'
import { newId } from '../../../../src/ids.ts'
import { inputOf } from '../../../../src/runs/run-input.ts'
import { call } from '../../../helpers/client.ts'
import { agentOf, customer, deliver, timelineOf, webhookAgent, type Person } from '../../../helpers/people.ts'
import { cancel, runsOf } from '../../../helpers/runs.ts'
import { sharedPlatform } from '../../../helpers/shared.ts'

/** Without a worker: what is queued stays queued. */
const platformOf = sharedPlatform(test, 'idle')

async function open() {
  const platform = await platformOf()
  const someone = await customer(platform)
  const stored = async (runId: string) => (await inputOf(platform.services.database, runId))?.payload
  return { platform, someone, stored }
}

/** The run of a delivery that has ended, and its agent. */
async function openDelivery(fields: Parameters<typeof webhookAgent>[1] = {}, payload: unknown = { number: 1 }) {
  const opened = await open()
  const agent = await webhookAgent(opened.someone, fields)
  const { runId } = (await deliver(opened.platform, agent, payload)).body
  await cancel(opened.someone, runId)
  return { ...opened, agent, runId }
}

/** The same for a run that was started manually with this input. */
async function openManual(input: Record<string, unknown> | string = { number: 1 }) {
  const opened = await open()
  const agent = await agentOf(opened.someone)
  const { id } = (await call(opened.someone, agentRuns.startRun, { params: { agentId: agent.id }, body: { input } }))
    .body
  await cancel(opened.someone, id)
  return { ...opened, agent, runId: id }
}

const replay = (someone: Person, runId: string, raw?: string, key?: string) =>
  call(someone, replayRun, {
    params: { runId },
    ...(raw !== undefined && { raw }),
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  })

const accepted = async (someone: Person, runId: string) => (await timelineOf(someone, runId))[0]?.data ?? {}

const odd = '{ "id":12345678901234567890, "price":1.0, "a":1, "a":[1e400], "odd":"\\u0000\\ud800" }'

test('the replay of a delivery with an edited payload has that text unchanged, and its timeline says that it was edited', async (t) => {
  const { someone, agent, runId, stored } = await openDelivery()
  const { status, body } = await replay(someone, runId, `{"payload": ${odd} }`)
  t.is(status, 202)
  t.like(body, { status: 'queued', replayOf: runId, trigger: 'webhook' })
  t.is(await stored(body.id), odd)
  const shown = await accepted(someone, body.id)
  t.like(shown, { edited: true, replayOf: runId })
  t.deepEqual(shown['payload'], JSON.parse(JSON.stringify(JSON.parse(odd))))
  t.is(await stored(runId), '{"number":1}', 'the original keeps its own')
  t.false('edited' in (await accepted(someone, runId)))

  await cancel(someone, body.id)
  const again = (await replay(someone, body.id)).body
  t.is(await stored(again.id), odd, 'a replay of the replay has the edited payload')
  t.false('edited' in (await accepted(someone, again.id)), 'but was not edited again')
  t.is((await runsOf(someone, agent)).length, 3)
})

test('the replay of a manual run takes an edited input, an object or a text', async (t) => {
  const { someone, runId, stored } = await openManual()
  for (const text of [odd, '"Only this."']) {
    const { body } = await replay(someone, runId, `{ "input":${text} }`)
    t.like(body, { replayOf: runId, trigger: 'manual' })
    t.is(await stored(body.id), text)
    t.true((await accepted(someone, body.id))['edited'])
    await cancel(someone, body.id)
  }
  for (const raw of [undefined, '{}']) {
    const { body } = await replay(someone, runId, raw)
    t.is(await stored(body.id), '{"number":1}')
    t.false('edited' in (await accepted(someone, body.id)))
    await cancel(someone, body.id)
  }
})

test("an edited payload must match the agent's current webhook schema", async (t) => {
  const { someone, agent, runId } = await openDelivery()
  const webhookSchema = [{ name: 'title', type: 'string' as const, required: true }]
  await call(someone, agents.updateAgent, { params: { agentId: agent.id }, body: { webhookSchema } })
  t.is((await replay(someone, runId)).failure.code, 'WEBHOOK_PAYLOAD_INVALID', 'the original does not')
  const { failure } = await replay(someone, runId, '{"payload":{"title":1}}')
  t.like(failure, { code: 'WEBHOOK_PAYLOAD_INVALID', details: [{ path: 'title' }] })
  t.is((await runsOf(someone, agent)).length, 1)
  t.is((await replay(someone, runId, '{"payload":{"title":"It is broken"}}')).status, 202)
})

test('the instructions of a replay are those of its edited payload', async (t) => {
  const { platform, someone, agent, runId } = await openDelivery(
    { allowActionOverride: true },
    { action: 'The first.' },
  )
  const { queue } = platform.services.runs
  const payloads = ['{"action":"The second."}', '{"number":2}', undefined]
  const expected = [
    { override: 'used', systemPrompt: 'The second.' },
    { override: 'absent', systemPrompt: 'Report.' },
    { override: 'used', systemPrompt: 'The first.' },
  ]
  for (const [index, payload] of payloads.entries()) {
    const { id } = (await replay(someone, runId, payload && `{"payload":${payload}}`)).body
    await queue.claimNext(agent.id)
    const [, started] = await timelineOf(someone, id)
    t.like(started?.data, expected[index] ?? {}, payload)
    await platform.services.runs.ending.end(
      { runId: id, agentId: agent.id, epoch: 1 },
      { status: 'failed', reason: 'MODEL_ERROR' },
    )
  }
})

test('a replay that is repeated under its key must have the same body, as it is written', async (t) => {
  const { someone, agent, runId } = await openDelivery()
  const edited = '{"payload":{"a":1.0,"b":"x"}}'
  const { id } = (await replay(someone, runId, edited, 'one')).body
  t.is((await replay(someone, runId, '{ "payload" : {"a":1.0,"b":"x"} }', 'one')).body.id, id)
  for (const other of ['{"payload":{"a":1,"b":"x"}}', '{"payload":{"b":"x","a":1.0}}', '{}', undefined]) {
    const { failure } = await replay(someone, runId, other, 'one')
    t.like(failure, { code: 'VALIDATION_ERROR', details: [{ path: 'Idempotency-Key' }] }, other)
    t.true(failure.error.includes(id))
  }
  const plain = (await replay(someone, runId, undefined, 'two')).body
  t.is((await replay(someone, runId, '{}', 'two')).body.id, plain.id)
  t.is((await replay(someone, runId, edited, 'two')).failure.code, 'VALIDATION_ERROR')
  t.is((await runsOf(someone, agent)).length, 3)
})

test('a body that does not fit the run is refused with its place and a sentence, and starts nothing', async (t) => {
  const { platform, someone, agent, runId } = await openDelivery()
  const manual = await openManual()
  const bodies: [...asked: [Person, string, string], path: string, sentence: RegExp][] = [
    [someone, runId, '{"input":{}}', 'input', /"payload"/],
    [someone, runId, '{"payload":{},"input":{}}', 'input', /"payload"/],
    [someone, runId, '{"payload":[]}', 'payload', /must be a JSON object/],
    [someone, runId, '{"payload":null}', 'payload', /must be a JSON object/],
    [manual.someone, manual.runId, '{"payload":{}}', 'payload', /"input"/],
    [manual.someone, manual.runId, '{"input":""}', 'input', /must not be empty/],
    [manual.someone, manual.runId, '{"input":1}', 'input', /non-empty string/],
  ]
  for (const [by, id, raw, path, sentence] of bodies) {
    const { failure } = await replay(by, id, raw)
    t.like(failure, { code: 'VALIDATION_ERROR', details: [{ path }] }, raw)
    t.regex(failure.error, sentence, raw)
  }
  t.is((await runsOf(someone, agent)).length, 1)
  t.is((await runsOf(manual.someone, manual.agent)).length, 1)

  const limit = platform.config.bodies.webhookBytes
  const long = (bytes: number) => `{"payload":{"a":"${'x'.repeat(bytes - 20)}"}}`
  t.is(long(limit).length, limit)
  t.is((await replay(someone, runId, long(limit + 1))).failure.code, 'VALIDATION_ERROR')
  t.is((await replay(someone, runId, long(limit))).status, 202)
})

test('a scheduled run has nothing to edit', async (t) => {
  const { platform, someone } = await open()
  const agent = await agentOf(someone)
  const request = { agentId: agent.id, trigger: 'scheduled', requestId: newId() } as const
  const { runId } = await platform.services.runs.accept.one(request)
  await cancel(someone, runId)
  for (const name of ['payload', 'input']) {
    const { failure } = await replay(someone, runId, `{"${name}":{}}`)
    t.like(failure, { code: 'VALIDATION_ERROR', details: [{ path: name }] })
    t.regex(failure.error, /A schedule started this run/)
  }
  t.is((await replay(someone, runId)).status, 202)
})
