import { createHash } from 'node:crypto'
import test from 'ava'
import * as agents from '../../api/agents.ts'
import { getRunDelivery } from '../../api/run-delivery.ts'
import * as runs from '../../api/runs.ts'
import { sendTestDelivery } from '../../api/test-deliveries.ts'
import { signedHeaders } from '../../src/webhooks/signed-headers.ts'
import { presets } from '../../src/webhooks/presets.ts'
import { call } from '../helpers/client.ts'
import { agentOf, customer, deliver, webhookAgent, type Person } from '../helpers/people.ts'
import { start } from '../helpers/runs.ts'
import * as webhooks from '../../api/webhooks.ts'
import { sharedPlatform } from '../helpers/shared.ts'

const platformOf = sharedPlatform(test, 'idle')

const read = (someone: Person, runId: string) => call(someone, getRunDelivery, { params: { runId } })

const hashOf = (body: string) => createHash('sha256').update(body).digest('hex')

const schema = [{ name: 'title', type: 'string' as const, required: true }]

test('the delivery of a run is shown as it was received, with what it was judged by', async (t) => {
  const platform = await platformOf()
  const someone = await customer(platform)
  const agent = await webhookAgent(someone, { webhookSchema: schema })
  const raw = '{ "title": "late", "number": 12345678901234567890, "title": "last" }'
  const headers = { 'x-webhook-secret': agent.webhookSecret, 'idempotency-key': 'order-1', 'x-other': 'other-header' }
  const params = { agentId: agent.id }
  const { body: receipt } = await call(someone, webhooks.receiveWebhook, { params, raw, headers })
  const { body } = await read(someone, receipt.runId)
  t.like(body, { runId: receipt.runId, agentId: agent.id, replayOf: null, edited: false, headers: {} })
  t.is(body.body, raw)
  t.is(body.bodyBytes, raw.length)
  t.deepEqual(body.judgedBy, { version: 1, proof: 'secret', schema })
  t.deepEqual(body.identity, { key: 'order-1', bodyHash: hashOf(raw) })
  for (const hidden of ['other-header', agent.webhookSecret]) t.false(JSON.stringify(body).includes(hidden))
})

test("a signed delivery keeps its sender's headers, and no proof", async (t) => {
  const platform = await platformOf()
  const someone = await customer(platform)
  const agent = await webhookAgent(someone, { webhookProof: 'github' })
  const raw = '{"action":"opened"}'
  const proof = { secret: agent.webhookSecret, body: Buffer.from(raw), id: 'guid-1', now: new Date() }
  const signed = signedHeaders(presets.github, proof)
  const headers = { ...signed, 'X-GitHub-Event': 'issues', 'X-GitHub-Hook-ID': '7' }
  const params = { agentId: agent.id }
  const { body: receipt } = await call(someone, webhooks.receiveWebhook, { params, raw, headers })
  const { body } = await read(someone, receipt.runId)
  const kept = { 'X-GitHub-Event': 'issues', 'X-GitHub-Hook-ID': '7', 'X-GitHub-Delivery': 'guid-1' }
  t.deepEqual(body.headers, kept)
  t.is(body.judgedBy?.proof, 'github')
  t.is(body.judgedBy?.schema, null)
  t.deepEqual(body.identity, { key: '7:guid-1', bodyHash: hashOf(raw) })
})

test('an id in a signed body counts alone, without a hash', async (t) => {
  const someone = await customer(await platformOf())
  const agent = await webhookAgent(someone, { webhookProof: 'stripe' })
  const sent = await call(someone, sendTestDelivery, {
    params: { agentId: agent.id },
    body: { payload: { id: 'evt_7' } },
  })
  const { body } = await read(someone, String(sent.body.answer?.['runId']))
  t.deepEqual(body.identity, { key: 'evt_7', bodyHash: null })
})

test('a delivery without a key has no identity', async (t) => {
  const platform = await platformOf()
  const someone = await customer(platform)
  const { body: receipt } = await deliver(platform, await webhookAgent(someone), {})
  t.is((await read(someone, receipt.runId)).body.identity, null)
})

test('a delivery is judged by the agent of its time, whatever the agent is now', async (t) => {
  const platform = await platformOf()
  const someone = await customer(platform)
  const agent = await webhookAgent(someone, { webhookSchema: schema })
  const params = { agentId: agent.id }
  const first = (await deliver(platform, agent, { title: 'before' })).body.runId
  await call(someone, agents.updateAgent, { params, body: { webhookSchema: null } }).then(({ body }) => body)
  const second = (await deliver(platform, agent, { title: 2 })).body.runId
  t.deepEqual((await read(someone, first)).body.judgedBy, { version: 1, proof: 'secret', schema })
  t.deepEqual((await read(someone, second)).body.judgedBy, { version: 2, proof: 'secret', schema: null })
})

test('a replay has its own body and names the replayed run', async (t) => {
  const platform = await platformOf()
  const someone = await customer(platform)
  const agent = await webhookAgent(someone)
  const { runId } = (await deliver(platform, agent, { n: 1 }, { 'idempotency-key': 'first' })).body
  await call(someone, runs.skipRun, { params: { runId } }).then(({ body }) => body)
  const replay = async (body: object) =>
    (await call(someone, runs.replayRun, { params: { runId }, body, headers: { 'idempotency-key': 'again' } })).body.id
  const replayed = (await read(someone, await replay({ payload: { n: 2 } }))).body
  t.like(replayed, { replayOf: runId, edited: true, body: '{"n":2}', identity: null })
})

test('a run that no delivery started has none', async (t) => {
  const someone = await customer(await platformOf())
  const { body: run } = await start(someone, await agentOf(someone))
  t.is((await read(someone, run.id)).failure.code, 'NOT_FOUND')
})

test("another owner's delivery and a purged one are not found", async (t) => {
  const platform = await platformOf()
  const someone = await customer(platform)
  const { runId } = (await deliver(platform, await webhookAgent(someone), {})).body
  t.is((await read(await customer(platform), runId)).failure.code, 'RUN_NOT_FOUND')
  t.is((await read(someone, runId)).status, 200)
  // As the retention does: the run first, and its timeline with the week.
  await platform.services.database('runs').where({ id: runId }).delete()
  t.is((await read(someone, runId)).failure.code, 'RUN_NOT_FOUND')
})

test('a deleted agent leaves the deliveries of its runs, without what they were judged by', async (t) => {
  const platform = await platformOf()
  const someone = await customer(platform)
  const agent = await webhookAgent(someone)
  const { runId } = (await deliver(platform, agent, { n: 1 })).body
  await call(someone, agents.deleteAgent, { params: { agentId: agent.id } })
  t.like((await read(someone, runId)).body, { body: '{"n":1}', judgedBy: null })
})
