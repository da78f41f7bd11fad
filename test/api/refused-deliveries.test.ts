import test from 'ava'
import * as agents from '../../api/agents.ts'
import * as moves from '../../api/moves.ts'
import { listRefusedDeliveries } from '../../api/refused-deliveries.ts'
import { call } from '../helpers/client.ts'
import { CodedError } from '../../src/errors.ts'
import { presets } from '../../src/webhooks/presets.ts'
import { createRefusals } from '../../src/webhooks/refusals.ts'
import { customer, deliver, webhookAgent, type Person } from '../helpers/people.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { workspaceOf } from '../helpers/workspaces.ts'

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

test('an agent that moves leaves its refused deliveries behind, also those that were not yet written', async (t) => {
  const platform = await platformOf()
  const someone = await customer(platform, 'team')
  const { id: workspaceId } = await workspaceOf(someone)
  const agent = await webhookAgent(someone, { webhookSchema: schema })
  const opened = { platform, someone, agent }
  await deliver(platform, agent, {})
  t.is((await listed(opened, someone, agent.id)).items.length, 1)
  await deliver(platform, agent, {})
  const moved = await call(someone, moves.moveThings, { body: { agentIds: [agent.id], workspaceId } })
  t.is(moved.status, 200)
  t.deepEqual(await listed(opened, someone, agent.id), { items: [], proofFailures: null })
  await deliver(platform, agent, {})
  t.is((await listed(opened, someone, agent.id)).items.length, 1, 'what is refused at the new place is its own')
})

test('10,000 refusals and failed proofs of an agent are one write, and delay the write of no other agent', async (t) => {
  const { platform, someone, agent } = await open()
  const other = await webhookAgent(someone)
  const { database, clock, logger } = platform.services
  const statements: string[] = []
  const counting = database.on('query', ({ sql }: { sql: string }) => {
    if (sql.includes('insert into refused_deliveries')) statements.push(sql)
  })
  const refusals = createRefusals({ database: counting, clock, logger })
  const refusal = new CodedError('WEBHOOK_PAYLOAD_INVALID')
  const refused = { header: () => undefined, preset: presets.secret, bodyBytes: 2 }
  for (let sent = 0; sent < 10_000; sent += 1) {
    refusals.note({ ...refused, agentId: agent.id }, refusal)
    refusals.noteFailedProof({ agentId: agent.id, address: `2001:db8::${sent.toString(16)}` })
  }
  refusals.note({ ...refused, agentId: other.id }, refusal)
  const before = statements.length
  await refusals.flush()
  t.is(statements.length - before, 1)
  const { items, proofFailures } = await refusals.of(agent.id)
  t.like(items, { length: 1, 0: { others: 9999 } })
  t.like(proofFailures, { count: 10_000, lastAddress: '2001:db8::270f' })
  t.is((await refusals.of(other.id)).items.length, 1)
  t.is((await database('refused_deliveries').whereIn('agentId', [agent.id, other.id])).length, 2)
})

test('what two processes refuse at the same time is added up in one row', async (t) => {
  const { platform, agent } = await open()
  const processes = [1, 2].map(() => createRefusals(platform.services))
  for (const [index, refusals] of processes.entries()) {
    refusals.note(
      { agentId: agent.id, header: () => undefined, preset: presets.secret, bodyBytes: index },
      new CodedError('NO_CREDITS'),
    )
    refusals.noteFailedProof({ agentId: agent.id, address: '192.0.2.1' })
  }
  await Promise.all(processes.map(({ flush }) => flush()))
  const { items, proofFailures } = await platform.services.refusals.of(agent.id)
  t.deepEqual(
    items.map(({ bodyBytes }) => Number(bodyBytes)).toSorted((one, other) => one - other),
    [0, 1],
  )
  t.is(proofFailures?.count, 2)
})
