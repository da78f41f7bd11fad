import test from 'ava'
import { updateAgent } from '../../../api/agents.ts'
import { replayRun } from '../../../api/runs.ts'
import { call } from '../../helpers/client.ts'
import { customer, deliver, webhookAgent } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { cancel, runsOf, spendAllBut } from '../../helpers/runs.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'

const openPlatform = forWholeFile(test, 'idempotency', (t) => startPlatform(t))

/** Somebody of this test's own on the platform of the file, and an agent of hers; nobody carries its runs out. */
async function open() {
  const platform = await openPlatform()
  const someone = await customer(platform)
  return { platform, someone, agent: await webhookAgent(someone) }
}

// @promise repeats
test('a delivery that is repeated with its idempotency key starts one run and gets the same receipt, with the status of now', async (t) => {
  const { platform, someone, agent } = await open()
  const key = { 'idempotency-key': 'delivery-1' }

  const first = await deliver(platform, agent, { number: 1 }, key)
  t.like(first.body, { status: 'queued', sequence: 1, ahead: 0 })
  const { runId } = first.body
  await cancel(someone, runId)
  const second = await deliver(platform, agent, { number: 1 }, key)
  t.is(second.status, 202)
  t.deepEqual(second.body, { ...first.body, status: 'cancelled' })
  t.is((await runsOf(someone, agent)).length, 1)

  const third = await deliver(platform, agent, { number: 2 }, { 'idempotency-key': 'delivery-2' })
  t.is(third.body.sequence, 2, 'the repetition took no number')
})

// @promise order
test('the receipt of a repeated delivery has the first `ahead` and the present status', async (t) => {
  const { platform, someone, agent } = await open()
  const { runId } = (await deliver(platform, agent, { number: 1 })).body
  const key = { 'idempotency-key': 'two' }
  const first = await deliver(platform, agent, { number: 2 }, key)
  t.like(first.body, { ahead: 1, status: 'queued' })
  t.deepEqual((await deliver(platform, agent, { number: 2 }, key)).body, first.body)

  await cancel(someone, runId)
  t.deepEqual((await deliver(platform, agent, { number: 2 }, key)).body, first.body, 'nothing is in front of it now')
  await cancel(someone, first.body.runId)
  t.deepEqual((await deliver(platform, agent, { number: 2 }, key)).body, { ...first.body, status: 'cancelled' })

  const foremost = await deliver(platform, agent, { number: 3 }, { 'idempotency-key': 'three' })
  const again = await deliver(platform, agent, { number: 3 }, { 'idempotency-key': 'three' })
  t.deepEqual([foremost.body.ahead, again.body.ahead], [0, 0])
})

// @promise repeats
test('an idempotency key that comes with another body is refused, and the conflict is named', async (t) => {
  const { platform, someone, agent } = await open()
  const key = { 'idempotency-key': 'delivery-1' }
  const { runId } = (await deliver(platform, agent, { number: 1 }, key)).body

  const { failure } = await deliver(platform, agent, { number: 2 }, key)
  t.like(failure, { code: 'VALIDATION_ERROR', statusCode: 400 })
  t.true(failure.error.includes(runId))
  t.is(failure.details?.[0]?.path, 'Idempotency-Key')
  t.is((await runsOf(someone, agent)).length, 1)
})

test('one key may be used to replay each of several runs', async (t) => {
  const { platform, someone, agent } = await open()
  const headers = { 'idempotency-key': 'shared' }
  const replay = async (runId: string) => (await call(someone, replayRun, { params: { runId }, headers })).body
  for (let made = 0; made < 2; made += 1) {
    const { runId } = (await deliver(platform, agent, { same: true })).body
    await cancel(someone, runId)
    const first = await replay(runId)
    t.is(first.replayOf, runId)
    t.is((await replay(runId)).id, first.id, 'asked for again, it is the same one')
  }
  t.is((await runsOf(someone, agent)).length, 4)
})

test('one key may be used for each of several agents', async (t) => {
  const { platform, someone, agent } = await open()
  const agents = [agent, await webhookAgent(someone)]
  for (const agent of agents) {
    const { body } = await deliver(platform, agent, { name: agent.name }, { 'idempotency-key': 'shared' })
    t.is(body.sequence, 1)
  }
})

for (const header of ['idempotency-key', 'webhook-id']) {
  test(`thirty deliveries with one ${header} at the same instant are one run, and the sequence has no gap`, async (t) => {
    const { platform, someone, agent } = await open()
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => deliver(platform, agent, { number: 1 }, { [header]: 'the-one' })),
    )
    t.is(new Set(answers.map(({ body }) => body.runId)).size, 1)
    t.true(answers.every(({ status, body }) => status === 202 && body.sequence === 1 && body.ahead === 0))
    t.is((await deliver(platform, agent, { number: 2 })).body.sequence, 2)
    t.is((await runsOf(someone, agent)).length, 2)
  })
}

// @promise repeats
test('of several bodies that come with one key at the same instant one is accepted and the others are refused', async (t) => {
  const { platform, someone, agent } = await open()
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, number) => deliver(platform, agent, { number }, { 'idempotency-key': 'the-one' })),
  )
  const refused = answers.filter(({ status }) => status !== 202)
  t.is(refused.length, 9)
  for (const { failure } of refused) t.is(failure.code, 'VALIDATION_ERROR')
  t.is((await runsOf(someone, agent)).length, 1)
})

// @promise repeats
test('a repeated delivery gets its receipt although the credits are used up, and a new one is refused', async (t) => {
  const { platform, someone, agent } = await open()
  const key = { 'idempotency-key': 'delivery-1' }
  const first = await deliver(platform, agent, { number: 1 }, key)
  await spendAllBut(platform, first.body.runId, 0)

  t.deepEqual((await deliver(platform, agent, { number: 1 }, key)).body, first.body)
  const fresh = await deliver(platform, agent, { number: 1 }, { 'idempotency-key': 'delivery-2' })
  t.is(fresh.failure.code, 'NO_CREDITS')
  t.is((await deliver(platform, agent, { number: 1 })).failure.code, 'NO_CREDITS')
  t.is((await deliver(platform, agent, { number: 2 }, key)).failure.code, 'VALIDATION_ERROR')
  t.is((await runsOf(someone, agent)).length, 1)
})

// @promise repeats payloads
test('a repeated delivery gets its receipt although the schema asks for more by now, and a new one is refused', async (t) => {
  const { platform, someone, agent } = await open()
  const key = { 'idempotency-key': 'delivery-1' }
  const first = await deliver(platform, agent, { number: 1 }, key)
  const webhookSchema = [{ name: 'title', type: 'string' as const }]
  await call(someone, updateAgent, { params: { agentId: agent.id }, body: { webhookSchema } })

  const again = await deliver(platform, agent, { number: 1 }, key)
  t.is(again.status, 202)
  t.deepEqual(again.body, first.body)
  const other = await deliver(platform, agent, { number: 2 }, key)
  t.is(other.failure.code, 'VALIDATION_ERROR', 'the conflict is what is wrong, not the schema')
  t.true(other.failure.error.includes(first.body.runId))
  const fresh = { 'idempotency-key': 'delivery-2' }
  t.is((await deliver(platform, agent, { number: 1 }, fresh)).failure.code, 'WEBHOOK_PAYLOAD_INVALID')
  t.is((await deliver(platform, agent, { number: 1 })).failure.code, 'WEBHOOK_PAYLOAD_INVALID')
  t.is((await runsOf(someone, agent)).length, 1)
  t.is(
    (await deliver(platform, agent, { title: 'It is broken' }, fresh)).body.sequence,
    2,
    'what is refused leaves nothing',
  )

  await spendAllBut(platform, first.body.runId, 0)
  t.deepEqual((await deliver(platform, agent, { number: 1 }, key)).body, first.body)
  const wrong = await deliver(platform, agent, { number: 1 }, { 'idempotency-key': 'delivery-3' })
  t.is(wrong.failure.code, 'WEBHOOK_PAYLOAD_INVALID', 'the schema goes before the credits')
})

// @promise order
test('two API processes that accept for the same agents at once leave no gap and do not deadlock', async (t) => {
  const { platform, someone } = await open()
  const { database, temporal } = platform.config
  const env = { DATABASE_URL: database.url, TASK_QUEUE: temporal.taskQueue }
  const platforms = [platform, await startPlatform(t, { env })]
  const agents = await Promise.all(Array.from({ length: 5 }, () => webhookAgent(someone)))

  const answers = await Promise.all(
    Array.from({ length: 300 }, async (_, number) => {
      const agent = agents[Math.floor(number / 2) % agents.length]!
      // Every fourth comes to both at the same time, as from a sender that does not wait for the answer.
      const twice = number % 4 < 2 ? { 'idempotency-key': `delivery-${number - (number % 2)}` } : {}
      const { status, body } = await deliver(platforms[number % 2]!, agent, { same: true }, twice)
      t.is(status, 202)
      return { agentId: agent.id, ...body }
    }),
  )
  for (const agent of agents) {
    const mine = answers.filter(({ agentId }) => agentId === agent.id).toSorted((a, b) => a.sequence - b.sequence)
    const runs = await runsOf(someone, agent)
    t.deepEqual(
      runs.map(({ sequence }) => sequence),
      runs.map((_, index) => index + 1),
    )
    t.deepEqual(
      new Map(runs.map(({ id, sequence }) => [id, sequence])),
      new Map(mine.map(({ runId, sequence }) => [runId, sequence])),
    )
  }
  t.is(new Set(answers.map(({ runId }) => runId)).size, 300 - 75, 'a delivery that came to both is one run')
  t.false(platforms.some(({ logs }) => logs.some((line) => line.includes('40P01'))))
})

test('an idempotency key that is no key is refused', async (t) => {
  const { platform, agent } = await open()
  for (const key of ['x'.repeat(256), 'two words', 'caf\u00e9']) {
    t.is((await deliver(platform, agent, {}, { 'idempotency-key': key })).failure.code, 'VALIDATION_ERROR')
  }
  t.is((await deliver(platform, agent, {}, { 'idempotency-key': 'x'.repeat(255) })).status, 202)
})
