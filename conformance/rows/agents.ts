import { randomUUID } from 'node:crypto'
import {
  agentOf,
  finished,
  createAgent,
  dataOf,
  deliver,
  ended,
  runsOf,
  startRun,
  timelineOf,
  webhookAgent,
} from '../agents.ts'
import type { Json } from '../client.ts'
import { accepted, assert, assertSame, pathsIn, refused } from '../expect.ts'
import type { Row } from '../row.ts'
import type { Stage } from '../stage.ts'
import { until } from '../until.ts'

const forOwner = ['cards', 'directives'] as const

const completedRun = (stage: Stage) =>
  stage.once('completed run', async () => {
    const owner = await stage.people.owner()
    return finished(stage.client, owner, await agentOf(stage.client, owner))
  })

/** A failed run. It is not retried, because the model rejects the request as invalid. */
const failedRun = (stage: Stage) =>
  stage.once('failed run', async () => {
    const owner = await stage.people.owner()
    return finished(stage.client, owner, await agentOf(stage.client, owner, { systemPrompt: '[[fail 400]]' }))
  })

const cancel = async ({ client, people }: Stage, runId: unknown) =>
  client.send({ method: 'POST', url: `/runs/${String(runId)}/cancel`, token: (await people.owner()).token })

/** Starts a second run while the first is active. Returns the result, and the run before and after its cancellation. */
async function busy(stage: Stage, agent: Json, runId: unknown) {
  const { client, people } = stage
  const owner = await people.owner()
  const active = await until(30, 'the run has begun', async () => {
    const run = accepted(await client.send({ url: `/runs/${String(runId)}`, token: owner.token }))
    return run['startedAt'] === null ? undefined : run
  })
  const second = await startRun(client, owner, agent)
  accepted(await cancel(stage, runId))
  return { active, second, end: await ended(client, owner, runId) }
}

/** An agent that is busy with a manual run, and one with a delivery. */
const busyAgents = (stage: Stage) =>
  stage.once('busy agents', async () => {
    const { client, people } = stage
    const owner = await people.owner()
    const asleep = { systemPrompt: '[[sleep 30]]' }
    const [manual, webhook] = [await agentOf(client, owner, asleep), await webhookAgent(client, owner, asleep)]
    const started = accepted(await startRun(client, owner, manual), 202)
    const delivered = accepted(await deliver(client, webhook), 202)
    const [byHand, byWebhook] = [busy(stage, manual, started['id']), busy(stage, webhook, delivered['runId'])]
    return { byHand: await byHand, byWebhook: await byWebhook }
  })

/** Values of members that the schema declares as a string and a number; other members may be absent. */
const payloads = {
  good: [
    { event: '', post_id: 0 },
    { event: 'post.created', post_id: -5 },
    { event: '4711', post_id: 1.5 },
    { event: 'a', post_id: 1e21, more: null },
  ],
  bad: [
    ...[1, true, false, null, [], ['a'], {}].map((event) => ({ event, post_id: 1 })),
    ...['4711', '', true, false, null, [], [1], {}].map((post_id) => ({ event: 'a', post_id })),
  ],
}

export const agentRows: Row[] = [
  {
    id: 'codes/AGENT_NOT_FOUND',
    says: 'no agent with the given identifier (of other owners see owners/Things)',
    async run({ client, people }) {
      const free = await people.free()
      const unknown = `/agents/${randomUUID()}`
      const evidence = refused(await client.send({ url: unknown, token: free.token }), 'AGENT_NOT_FOUND')
      refused(await client.send({ url: '/agents/1', token: free.token }), 'AGENT_NOT_FOUND')
      refused(await startRun(client, free, { id: randomUUID() }), 'AGENT_NOT_FOUND')
      refused(await deliver(client, { id: randomUUID(), webhookSecret: 'any' }), 'AGENT_NOT_FOUND')
      return `${evidence}; also to start it, and at the webhook`
    },
  },
  {
    id: 'codes/RUN_NOT_FOUND',
    says: 'no run with the given identifier (of other owners see owners/Things)',
    async run({ client, people }) {
      const { token } = await people.free()
      const unknown = `/runs/${randomUUID()}`
      const evidence = refused(await client.send({ url: unknown, token }), 'RUN_NOT_FOUND')
      refused(await client.send({ url: `${unknown}/events`, token }), 'RUN_NOT_FOUND')
      refused(await client.send({ method: 'POST', url: `${unknown}/cancel`, token }), 'RUN_NOT_FOUND')
      return `${evidence}; also its timeline, and to cancel it`
    },
  },
  {
    id: 'codes/RUN_NOT_CANCELLABLE',
    says: 'run is already completed or failed (rule 1)',
    needs: forOwner,
    async run(stage) {
      const good = await completedRun(stage)
      assertSame(good['status'], 'completed', 'the status')
      const evidence = refused(await cancel(stage, good['id']), 'RUN_NOT_CANCELLABLE')
      const failed = await failedRun(stage)
      assertSame(failed['status'], 'failed', 'the status')
      refused(await cancel(stage, failed['id']), 'RUN_NOT_CANCELLABLE')
      return `${evidence}, for a completed run and a failed one`
    },
  },
  {
    id: 'codes/AGENT_ALREADY_RUNNING',
    says: 'the agent already has an active run (rule 2)',
    needs: forOwner,
    async run(stage) {
      const { byHand, byWebhook } = await busyAgents(stage)
      const evidence = refused(byHand.second, 'AGENT_ALREADY_RUNNING')
      refused(byWebhook.second, 'AGENT_ALREADY_RUNNING')
      return `${evidence} at the second start, also while a delivery runs`
    },
  },
  {
    id: 'codes/WEBHOOK_SECRET_INVALID',
    says: 'X-Webhook-Secret does not match, or is missing',
    needs: ['cards'],
    async run({ client, people }) {
      const agent = await webhookAgent(client, await people.owner())
      const wrong = await deliver(client, agent, { secret: 'wrong' })
      const evidence = refused(wrong, 'WEBHOOK_SECRET_INVALID')
      refused(await deliver(client, agent, { secret: '' }), 'WEBHOOK_SECRET_INVALID')
      const challenge = wrong.headers.get('www-authenticate') ?? ''
      assert(challenge.startsWith('Webhook '), `WWW-Authenticate asks for ${challenge}`)
      return `${evidence}, for a wrong secret and without one`
    },
  },
  {
    id: 'codes/WEBHOOK_PAYLOAD_INVALID',
    says: 'body does not match the webhook schema; no run is started',
    needs: ['cards'],
    async run({ client, people }) {
      const owner = await people.owner()
      const webhookSchema = [
        { name: 'event', type: 'string' },
        { name: 'post_id', type: 'number' },
      ]
      const agent = await webhookAgent(client, owner, { webhookSchema })
      const answer = await deliver(client, agent, { payload: { event: 'post.created', post_id: '4711' } })
      const evidence = refused(answer, 'WEBHOOK_PAYLOAD_INVALID')
      assertSame(pathsIn(answer), ['post_id'], 'the list of wrong places')
      for (const payload of payloads.bad) refused(await deliver(client, agent, { payload }), 'WEBHOOK_PAYLOAD_INVALID')
      assertSame(await runsOf(client, owner, agent), [], 'the list of runs')
      for (const payload of payloads.good) accepted(await deliver(client, agent, { payload }), 202)
      return `${evidence}; details: post_id; no run, nor for ${payloads.bad.length} other values; ${payloads.good.length} that fit: 202`
    },
  },
  {
    id: 'codes/VALIDATION_ERROR',
    says: 'request body failed schema validation; details say which fields',
    async run({ client, people }) {
      const answer = await createAgent(client, await people.free(), { name: '', trigger: 'telepathy' })
      const evidence = refused(answer, 'VALIDATION_ERROR')
      assertSame([...new Set(pathsIn(answer))].toSorted(), ['name', 'trigger'], 'the list of wrong places')
      return `${evidence}; details: name, trigger`
    },
  },
  {
    id: 'codes/NOT_FOUND',
    says: 'the requested resource does not exist',
    async run({ client, people }) {
      const { token } = await people.free()
      const evidence = refused(await client.send({ url: `/vault/${randomUUID()}`, token }), 'NOT_FOUND')
      refused(await client.send({ url: '/no/such/path', token }), 'NOT_FOUND')
      return `${evidence}; also for an unknown path`
    },
  },
  {
    id: 'errors/Body',
    says: 'every error has error, code and statusCode, and statusCode is the HTTP status',
    async run({ client }) {
      const answer = await client.send({ url: '/runs', headers: { 'x-request-id': 'conformance-1' } })
      refused(answer, 'UNAUTHORIZED')
      assertSame(Object.keys(answer.json).toSorted(), ['code', 'error', 'statusCode'], 'the list of members')
      assertSame(answer.headers.get('x-request-id'), 'conformance-1', 'X-Request-Id')
      return 'exactly these members of a 401; X-Request-Id of the request comes back'
    },
  },
  {
    id: 'run/Origin',
    says: "trigger origin, shown as 'Triggered by: Webhook'",
    needs: forOwner,
    async run(stage) {
      const { client, people } = stage
      const owner = await people.owner()
      const agent = await webhookAgent(client, owner)
      const { runId } = accepted(await deliver(client, agent, { payload: { event: 'a' } }), 202)
      const run = await ended(client, owner, runId)
      assertSame([run['trigger'], run['triggeredBy']], ['webhook', 'Triggered by: Webhook'], 'the origin')
      assertSame(dataOf(await timelineOf(client, owner, runId), 'accepted')['trigger'], 'webhook', 'the origin')
      return 'Triggered by: Webhook'
    },
  },
  {
    id: 'states/Run',
    says: 'completed, failed, and active',
    needs: forOwner,
    async run(stage) {
      const run = await completedRun(stage)
      assert(
        ['startedAt', 'endedAt', 'acceptedAt'].every((name) => run[name] !== null),
        'a time is missing',
      )
      const { byHand, byWebhook } = await busyAgents(stage)
      for (const { active, end } of [byHand, byWebhook])
        assertSame([active['status'], active['endedAt'], end['status']], ['running', null, 'cancelled'], 'the states')
      const ends = [run['status'], (await failedRun(stage))['status']]
      assertSame(ends, ['completed', 'failed'], 'the states of two runs that have ended')
      return 'running, completed, failed, cancelled'
    },
  },
]
