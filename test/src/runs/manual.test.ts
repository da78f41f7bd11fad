import test from 'ava'
import { agentOf, customer, deliver, ended, person, webhookAgent } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { cancel, happened, runsOf, start } from '../../helpers/runs.ts'

test('a manual start is refused while a run of the agent is queued or running, and works again afterwards', async (t) => {
  const platform = await startPlatform(t, { worker: true })
  const someone = await customer(platform)
  const agent = await agentOf(someone, { systemPrompt: '[[sleep 60]]' })

  const first = await start(someone, agent)
  t.is(first.status, 202)
  t.like(first.body, { trigger: 'manual', triggeredBy: 'Triggered by: Manual', sequence: 1 })
  const { failure } = await start(someone, agent)
  t.like(failure, { code: 'AGENT_ALREADY_RUNNING', statusCode: 409 })
  await happened(someone, first.body.id, 'step.started')
  t.is((await start(someone, agent)).failure.code, 'AGENT_ALREADY_RUNNING')

  await cancel(someone, first.body.id)
  await ended(someone, first.body.id)
  const second = await start(someone, agent)
  t.like(second.body, { sequence: 2 }, 'what was refused took no number')
})

test('of twenty manual starts at the same instant one is a run and nineteen are refused', async (t) => {
  const platform = await startPlatform(t)
  const someone = await person(platform)
  const agent = await agentOf(someone)
  const answers = await Promise.all(Array.from({ length: 20 }, () => start(someone, agent)))
  const refused = answers.filter(({ status }) => status !== 202)
  t.is(refused.length, 19)
  for (const { failure } of refused) t.like(failure, { code: 'AGENT_ALREADY_RUNNING', statusCode: 409 })
  t.is((await runsOf(someone, agent)).length, 1)
})

test('an agent that webhooks start can be run by hand, but not while a delivery waits', async (t) => {
  const platform = await startPlatform(t)
  const someone = await customer(platform)
  const agent = await webhookAgent(someone)
  const { body } = await deliver(platform, agent, { number: 1 })
  t.is((await start(someone, agent)).failure.code, 'AGENT_ALREADY_RUNNING')
  await cancel(someone, body.runId)
  t.is((await start(someone, agent)).status, 202)
  t.like((await deliver(platform, agent, { number: 2 })).body, { sequence: 3, ahead: 1 })
})

test('starts of different agents do not get in each other’s way', async (t) => {
  const platform = await startPlatform(t)
  const someone = await person(platform)
  const agents = await Promise.all([1, 2, 3].map(() => agentOf(someone)))
  const answers = await Promise.all(agents.map((agent) => start(someone, agent)))
  t.deepEqual(
    answers.map(({ status }) => status),
    [202, 202, 202],
  )
})
