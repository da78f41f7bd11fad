// @promise repeats
import test, { type ExecutionContext } from 'ava'
import { updateAgent } from '../../../api/agents.ts'
import { replayRun } from '../../../api/runs.ts'
import { call } from '../../helpers/client.ts'
import { newOwner } from '../../helpers/owner.ts'
import { deliver } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { cancel, runsOf, spendAllBut } from '../../helpers/runs.ts'
import { sharedPlatform } from '../../helpers/shared.ts'

const platformOf = sharedPlatform(test, 'idle')

const keyed = (key: string) => ({ 'idempotency-key': key })

/** An owner of this test's own, and an agent whose deliveries stay queued. */
async function open(t: ExecutionContext) {
  const platform = await platformOf()
  const owner = await newOwner(t, platform)
  const agent = await owner.webhookAgent()
  const post = (number: number, key?: string) => owner.deliver(agent, { number }, key === undefined ? {} : keyed(key))
  return { platform, owner, agent, post, runs: async () => (await runsOf(owner, agent)).length }
}

// @promise order
test('a repeated delivery starts one run and gets the same receipt, with the first `ahead` and the present status', async (t) => {
  const { owner, agent, post, runs } = await open(t)
  const { runId } = (await post(1)).body
  const first = await post(2, 'two')
  t.like(first.body, { ahead: 1, status: 'queued', sequence: 2 })
  t.deepEqual((await post(2, 'two')).body, first.body)
  await cancel(owner, runId)
  t.deepEqual((await post(2, 'two')).body, first.body, 'nothing is in front of it now')
  await cancel(owner, first.body.runId)
  const again = await post(2, 'two')
  t.deepEqual([again.status, again.body], [202, { ...first.body, status: 'cancelled' }])

  const { failure } = await post(3, 'two')
  t.like(failure, { code: 'VALIDATION_ERROR', statusCode: 400, details: [{ path: 'Idempotency-Key' }] })
  t.true(failure.error.includes(first.body.runId), 'the conflict is named')
  t.is((await post(3, 'three')).body.sequence, 3, 'the repetitions took no number')
  t.is(await runs(), 3)
  for (const key of ['x'.repeat(256), 'two words', 'caf\u00e9'])
    t.is((await post(1, key)).failure.code, 'VALIDATION_ERROR', 'it is no key')
  t.is((await post(1, 'x'.repeat(255))).status, 202)
  const other = await owner.webhookAgent()
  t.is((await owner.deliver(other, { number: 2 }, keyed('two'))).body.sequence, 1, 'another agent has its own keys')
  t.is((await runsOf(owner, agent)).length, 4)
})

test('one key may be used to replay each of several runs', async (t) => {
  const { owner, post, runs } = await open(t)
  const replay = async (runId: string) =>
    (await call(owner, replayRun, { params: { runId }, headers: keyed('shared') })).body
  for (const number of [1, 2]) {
    const { runId } = (await post(number)).body
    await cancel(owner, runId)
    const first = await replay(runId)
    t.is(first.replayOf, runId)
    t.is((await replay(runId)).id, first.id, 'asked for again, it is the same one')
  }
  t.is(await runs(), 4)
})

test('deliveries with one key at the same instant are one run, with another body they are refused, and the sequence has no gap', async (t) => {
  const { owner, post, runs, agent } = await open(t)
  for (const header of ['idempotency-key', 'webhook-id']) {
    const same = () => owner.deliver(agent, { number: 1 }, { [header]: `one-${header}` })
    const answers = await Promise.all(Array.from({ length: 8 }, same))
    t.is(new Set(answers.map(({ body }) => body.runId)).size, 1)
    t.true(answers.every(({ status }) => status === 202))
  }
  const answers = await Promise.all([1, 2, 3, 4, 5].map((number) => post(number, 'bodies')))
  const refused = answers.filter(({ status }) => status !== 202)
  t.is(refused.length, 4)
  for (const { failure } of refused) t.is(failure.code, 'VALIDATION_ERROR')
  t.is((await post(2)).body.sequence, 4)
  t.is(await runs(), 4)
})

// @promise payloads
test('a repeated delivery gets its receipt although the schema asks for more or the credits are used up, and a new one is refused', async (t) => {
  const { platform, owner, agent, post, runs } = await open(t)
  const first = await post(1, 'one')
  const webhookSchema = [{ name: 'title', type: 'string' as const }]
  await call(owner, updateAgent, { params: { agentId: agent.id }, body: { webhookSchema } })
  const again = await post(1, 'one')
  t.deepEqual([again.status, again.body], [202, first.body])
  t.is((await post(2, 'one')).failure.code, 'VALIDATION_ERROR', 'the conflict is what is wrong, not the schema')
  for (const key of ['two', undefined]) t.is((await post(1, key)).failure.code, 'WEBHOOK_PAYLOAD_INVALID')
  t.is(await runs(), 1)
  const good = { title: 'It is broken' }
  t.is((await owner.deliver(agent, good, keyed('two'))).body.sequence, 2, 'what is refused leaves nothing')

  await spendAllBut(platform, first.body.runId, 0)
  t.deepEqual((await post(1, 'one')).body, first.body)
  t.is((await post(1, 'three')).failure.code, 'WEBHOOK_PAYLOAD_INVALID', 'the schema goes before the credits')
  t.is((await owner.deliver(agent, good, keyed('three'))).failure.code, 'NO_CREDITS')
  t.is((await owner.deliver(agent, good)).failure.code, 'NO_CREDITS')
  const account = platform.services
    .database('accounts')
    .whereRaw('owner_id = (select owner_id from agents where id = ?)', [agent.id])
  await account.update({ subscriptionStatus: 'past_due' })
  t.is((await owner.deliver(agent, good)).failure.code, 'SUBSCRIPTION_PAST_DUE')
  t.is(await runs(), 2)
})

// @promise order
test('two API processes that accept for the same agents at once leave no gap and do not deadlock', async (t) => {
  const { platform, owner } = await open(t)
  const { database, temporal } = platform.config
  const env = { DATABASE_URL: database.url, TASK_QUEUE: temporal.taskQueue }
  const platforms = [platform, await startPlatform(t, { env })]
  const agents = await Promise.all([1, 2, 3].map(() => owner.webhookAgent()))
  const count = 60
  const answers = await Promise.all(
    Array.from({ length: count }, async (_, number) => {
      const agent = agents[Math.floor(number / 2) % agents.length]!
      // Every fourth comes to both at the same time, as from a sender that does not wait for the answer.
      const twice = number % 4 < 2 ? keyed(`delivery-${number - (number % 2)}`) : {}
      const { status, body } = await deliver(platforms[number % 2]!, agent, { same: true }, twice)
      t.is(status, 202)
      return { agentId: agent.id, ...body }
    }),
  )
  for (const agent of agents) {
    const runs = (await runsOf(owner, agent)).map(({ id, sequence }) => [id, sequence] as const)
    t.deepEqual(
      runs.map(([, sequence]) => sequence),
      runs.map((_, index) => index + 1),
    )
    const mine = answers.filter(({ agentId }) => agentId === agent.id).toSorted((a, b) => a.sequence - b.sequence)
    t.deepEqual(new Map(mine.map(({ runId, sequence }) => [runId, sequence])), new Map(runs))
  }
  t.is(new Set(answers.map(({ runId }) => runId)).size, count - count / 4, 'a delivery that came to both is one run')
  t.false(platforms.some(({ logs }) => logs.some((line) => line.includes('40P01'))))
})
