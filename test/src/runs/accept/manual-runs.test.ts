import test from 'ava'
import * as agents from '../../../../api/agents.ts'
import * as agentRuns from '../../../../api/agent-runs.ts'
import { call } from '../../../helpers/client.ts'
import { agentOf, customer, deliver, ended, person, webhookAgent, type Person } from '../../../helpers/people.ts'
import { cancel, happened, runsOf, start } from '../../../helpers/runs.ts'
import { sharedPlatform } from '../../../helpers/shared.ts'

const working = sharedPlatform(test)
/** Without a worker: what is queued stays queued. */
const idle = sharedPlatform(test, 'idle')

// @promise starts
test('of many manual starts at the same instant one is a run and the others are refused', async (t) => {
  const platform = await idle()
  const someone = await person(platform)
  const agent = await agentOf(someone)
  const answers = await Promise.all(Array.from({ length: 8 }, () => start(someone, agent)))
  const refused = answers.filter(({ status }) => status !== 202)
  t.is(refused.length, 7)
  for (const { failure } of refused) t.like(failure, { code: 'AGENT_ALREADY_RUNNING', statusCode: 409 })
  t.is((await runsOf(someone, agent)).length, 1)
})

/** Asks for a manual run under a key of the client's. */
const startAs = (key: string, someone: Person, agent: { id: string }) =>
  call(someone, agentRuns.startRun, { params: { agentId: agent.id }, headers: { 'idempotency-key': key } })

// @promise starts
test('a start that is repeated under its key is answered with its run as it is now, while that runs and after its end', async (t) => {
  const platform = await working()
  const someone = await customer(platform)
  const agent = await agentOf(someone, { systemPrompt: '[[sleep 60]]' })
  const first = await startAs('one', someone, agent)
  t.is(first.status, 202)
  const { id } = first.body
  await happened(someone, id, 'step.started')

  const repeated = await startAs('one', someone, agent)
  t.is(repeated.status, 202)
  t.like(repeated.body, { id, status: 'running', trigger: 'manual', requestId: first.body.requestId })
  t.is((await startAs('two', someone, agent)).failure.code, 'AGENT_ALREADY_RUNNING', 'another key')
  t.is((await start(someone, agent)).failure.code, 'AGENT_ALREADY_RUNNING', 'no key')

  await cancel(someone, id)
  await ended(someone, id)
  t.like((await startAs('one', someone, agent)).body, { id, status: 'cancelled' })
  t.is((await runsOf(someone, agent)).length, 1)

  const second = await startAs('two', someone, agent)
  t.like(second.body, { sequence: 2 }, 'a key that was refused is not used up')
  t.like((await startAs('one', someone, agent)).body, { id, status: 'cancelled' }, 'while another one runs')
  await cancel(someone, second.body.id)
})

// @promise starts
test('ten starts with one key at the same instant are one run, and all are answered with it', async (t) => {
  const platform = await idle()
  const someone = await person(platform)
  for (let round = 0; round < 2; round += 1) {
    const agent = await agentOf(someone)
    const answers = await Promise.all(Array.from({ length: 10 }, () => startAs('one', someone, agent)))
    const [run, ...others] = await runsOf(someone, agent)
    t.deepEqual(others, [])
    t.deepEqual(
      answers.map(({ status, body }) => [status, body.id]),
      answers.map(() => [202, run?.id]),
    )
    await call(someone, agents.deleteAgent, { params: { agentId: agent.id } })
  }
})

test('the key of a start is the agent’s own, and no key of a delivery', async (t) => {
  const platform = await idle()
  const someone = await customer(platform)
  const [one, other] = [await webhookAgent(someone), await webhookAgent(someone)]
  const run = (await startAs('shared', someone, one)).body
  t.not((await startAs('shared', someone, other)).body.id, run.id)
  const delivery = await deliver(platform, one, { number: 1 }, { 'idempotency-key': 'shared' })
  t.like(delivery.body, { sequence: 2, ahead: 1 })
  t.is((await startAs('shared', someone, one)).body.id, run.id)
  const stranger = await customer(platform)
  t.is((await startAs('shared', stranger, one)).failure.code, 'AGENT_NOT_FOUND')
})
