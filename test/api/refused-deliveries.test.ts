import test from 'ava'
import * as agents from '../../api/agents.ts'
import { listRefusedDeliveries } from '../../api/refused-deliveries.ts'
import { call } from '../helpers/client.ts'
import { customer, deliver, webhookAgent, type Person } from '../helpers/people.ts'
import { sharedPlatform } from '../helpers/shared.ts'

const platformOf = sharedPlatform(test, 'idle')

const schema = [{ name: 'a/b', type: 'string' as const, required: true }]

async function open() {
  const platform = await platformOf()
  const someone = await customer(platform)
  return { platform, someone, agent: await webhookAgent(someone, { webhookSchema: schema }) }
}

type Opened = Awaited<ReturnType<typeof open>>

/** What is listed once the process has written. */
async function listed({ platform }: Opened, someone: Person, agentId: string) {
  await platform.services.refusals.flush()
  return (await call(someone, listRefusedDeliveries, { params: { agentId } })).body
}

test('an agent whose deliveries were all accepted has no refused ones', async (t) => {
  const opened = await open()
  const { platform, someone, agent } = opened
  t.is((await deliver(platform, agent, { 'a/b': 'text' })).status, 202)
  t.deepEqual(await listed(opened, someone, agent.id), { items: [], proofFailures: null })
})

test('a delivery that does not match the schema is listed with its reasons and without its body or its secret', async (t) => {
  const opened = await open()
  const { platform, someone, agent } = opened
  const payload = { 'a/b': 42, note: 'private-words' }
  t.is((await deliver(platform, agent, payload, { 'user-agent': 'sender/1', 'x-other': 'other-header' })).status, 422)
  const answer = await listed(opened, someone, agent.id)
  const [item] = answer.items
  t.is(answer.items.length, 1)
  t.is(item?.code, 'WEBHOOK_PAYLOAD_INVALID')
  t.deepEqual(item?.reasons, [{ pointer: '/a~1b', message: 'This field must be of type string, not number.' }])
  t.is(item?.bodyBytes, JSON.stringify(payload).length)
  t.like(item?.headers, { 'User-Agent': 'sender/1' })
  t.is(answer.proofFailures, null)
  for (const hidden of ['private-words', 'other-header', agent.webhookSecret])
    t.false(JSON.stringify(answer).includes(hidden))
})

test('failed proofs are only counted, with the time and the address of the last', async (t) => {
  const opened = await open()
  const { platform, someone, agent } = opened
  const stranger = { ...agent, webhookSecret: 'a-guess-of-a-stranger' }
  for (let sent = 0; sent < 2; sent += 1) t.is((await deliver(platform, stranger, {})).status, 401)
  t.is((await listed(opened, someone, agent.id)).proofFailures?.count, 2)
  await deliver(platform, stranger, {})
  const answer = await listed(opened, someone, agent.id)
  t.is(answer.proofFailures?.count, 3, 'counts of several writes add up')
  t.regex(answer.proofFailures?.lastAddress ?? '', /127\.0\.0\.1|::1/)
  t.deepEqual(answer.items, [])
})

test('of refusals within one write the latest is kept and the others are counted', async (t) => {
  const opened = await open()
  const { someone, agent, platform } = opened
  const { refusals, database } = platform.services
  await deliver(platform, agent, {})
  await refusals.flush()
  const before = await database('refused_deliveries').where({ agentId: agent.id }).first<{ items: object[] }>()
  t.is(before?.items.length, 1)
  const refused = await Promise.all([1, 2, 3].map(() => deliver(platform, agent, {})))
  t.deepEqual(
    refused.map(({ status }) => status),
    [422, 422, 422],
  )
  const { items } = await listed(opened, someone, agent.id)
  t.is(
    items.reduce((sum, { others }) => sum + 1 + others, 0),
    4,
  )
})

test('only the last 20 refused deliveries are kept, newest first', async (t) => {
  const opened = await open()
  const { platform, someone, agent } = opened
  for (let sent = 0; sent < 22; sent += 1) {
    await deliver(platform, agent, { sent: 'x'.repeat(sent) })
    await platform.services.refusals.flush()
  }
  const { items } = await listed(opened, someone, agent.id)
  const sizes = items.map(({ bodyBytes }) => bodyBytes ?? 0)
  t.is(items.length, 20)
  t.is(sizes[0], JSON.stringify({ sent: 'x'.repeat(21) }).length)
  t.deepEqual(
    sizes,
    sizes.toSorted((a, b) => b - a),
  )
})

test("another owner does not learn of an agent's refused deliveries", async (t) => {
  const opened = await open()
  await deliver(opened.platform, opened.agent, {})
  await opened.platform.services.refusals.flush()
  const other = await customer(opened.platform)
  const answer = await call(other, listRefusedDeliveries, { params: { agentId: opened.agent.id } })
  t.is(answer.failure.code, 'AGENT_NOT_FOUND')
})

test('a deleted agent leaves no refused deliveries, not even those that were not yet written', async (t) => {
  const { platform, someone, agent } = await open()
  const { refusals, database } = platform.services
  await deliver(platform, agent, {})
  await refusals.flush()
  const rows = () => database('refused_deliveries').where({ agentId: agent.id })
  t.is((await rows()).length, 1)
  await deliver(platform, agent, {})
  await call(someone, agents.deleteAgent, { params: { agentId: agent.id } })
  await refusals.flush()
  t.deepEqual(await rows(), [])
})
