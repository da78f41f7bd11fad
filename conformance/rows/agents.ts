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
import { accepted, assert, assertSame, pathsIn, refused } from '../expect.ts'
import type { Row } from '../row.ts'
import type { Stage } from '../stage.ts'

const forOwner = ['cards', 'directives'] as const

/** A run that is completed. */
export const completedRun = (stage: Stage) =>
  stage.once('completed run', async () => {
    const owner = await stage.people.owner()
    return finished(stage.client, owner, await agentOf(stage.client, owner))
  })

const cancel = async ({ client, people }: Stage, runId: unknown) =>
  client.send({ method: 'POST', url: `/runs/${String(runId)}/cancel`, token: (await people.owner()).token })

export const agentRows: Row[] = [
  {
    id: 'codes/AGENT_NOT_FOUND',
    says: 'no agent with the given identifier',
    needs: ['cards'],
    async run({ client, people }) {
      const { token } = await people.free()
      const unknown = refused(await client.send({ url: `/agents/${randomUUID()}`, token }), 'AGENT_NOT_FOUND')
      const agent = await agentOf(client, await people.owner())
      refused(await client.send({ url: `/agents/${String(agent['id'])}`, token }), 'AGENT_NOT_FOUND')
      refused(await deliver(client, { id: randomUUID(), webhookSecret: 'any' }), 'AGENT_NOT_FOUND')
      return `${unknown}; also for an agent of others, and at the webhook`
    },
  },
  {
    id: 'codes/RUN_NOT_FOUND',
    says: 'no run with the given identifier',
    needs: forOwner,
    async run(stage) {
      const { client, people } = stage
      const { token } = await people.free()
      const unknown = refused(await client.send({ url: `/runs/${randomUUID()}`, token }), 'RUN_NOT_FOUND')
      const url = `/runs/${String((await completedRun(stage))['id'])}`
      refused(await client.send({ url, token }), 'RUN_NOT_FOUND')
      refused(await client.send({ url: `${url}/events`, token }), 'RUN_NOT_FOUND')
      return `${unknown}; also for the run of another owner, and its timeline`
    },
  },
  {
    id: 'codes/RUN_NOT_CANCELLABLE',
    says: 'run is already completed or failed (rule 1)',
    needs: forOwner,
    async run(stage) {
      const { client, people } = stage
      const good = await completedRun(stage)
      assertSame(good['status'], 'completed', 'the status')
      const evidence = refused(await cancel(stage, good['id']), 'RUN_NOT_CANCELLABLE')
      const owner = await people.owner()
      // Not retried: it says that the request is wrong.
      const failing = await agentOf(client, owner, { systemPrompt: '[[fail 400]]' })
      const failed = await finished(client, owner, failing)
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
      const { client, people } = stage
      const owner = await people.owner()
      const agent = await agentOf(client, owner, { systemPrompt: '[[sleep 20]]' })
      const first = accepted(await startRun(client, owner, agent), 202)
      const evidence = refused(await startRun(client, owner, agent), 'AGENT_ALREADY_RUNNING')
      accepted(await cancel(stage, first['id']))
      await ended(client, owner, first['id'])
      return `${evidence} at the second start`
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
      assertSame(await runsOf(client, owner, agent), [], 'the list of runs')
      return `${evidence}; details: post_id; no run`
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
      return `${evidence}; also for a path that there is not`
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
      return 'a 401 has these three; X-Request-Id of the request comes back; every row of codes/ checks its own error'
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
    says: 'completed (failed and active have rows of their own: codes/RUN_NOT_CANCELLABLE, codes/AGENT_ALREADY_RUNNING)',
    needs: forOwner,
    async run(stage) {
      const run = await completedRun(stage)
      assert(
        ['startedAt', 'endedAt', 'acceptedAt'].every((name) => run[name] !== null),
        'a time is missing',
      )
      return `${String(run['status'])}, with the times of acceptance, start and end`
    },
  },
]
