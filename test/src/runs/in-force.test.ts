import test from 'ava'
import * as agents from '../../../api/agents.ts'
import { call } from '../../helpers/client.ts'
import { customer, deliver, ended, timelineOf, webhookAgent, type Person } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { allEnded, dataOf, happened, runsOf, start, type Events } from '../../helpers/runs.ts'

const change = (someone: Person, agent: { id: string }, systemPrompt: string) =>
  call(someone, agents.updateAgent, { params: { agentId: agent.id }, body: { systemPrompt } })

const said = (timeline: Events): string =>
  dataOf(timeline, 'step.finished')
    .map(({ text }) => String(text))
    .join(' ')

test('a run that has started keeps its prompt when the agent is edited, and one that is queued takes the new one', async (t) => {
  const platform = await startPlatform(t, { worker: true })
  const someone = await customer(platform)
  const agent = await webhookAgent(someone, { systemPrompt: '[[sleep 2]] [[say the old words]]' })
  const { runId } = (await deliver(platform, agent, { number: 1 })).body
  const { runId: next } = (await deliver(platform, agent, { number: 2 })).body
  await happened(someone, runId, 'step.started')
  t.is((await change(someone, agent, '[[say the new words]]')).status, 200)
  await allEnded(someone, agent, 30)

  const before = await timelineOf(someone, runId)
  t.regex(said(before), /the old words/)
  t.is(dataOf(before, 'started')[0]?.['systemPrompt'], '[[sleep 2]] [[say the old words]]')
  const after = await timelineOf(someone, next)
  t.regex(said(after), /the new words/)
  t.is(dataOf(after, 'started')[0]?.['systemPrompt'], '[[say the new words]]')
})

test('the action of a payload takes the place of the system prompt only where the agent allows it, and the timeline says so', async (t) => {
  const platform = await startPlatform(t, { worker: true })
  const someone = await customer(platform)
  const open = await webhookAgent(someone, { systemPrompt: '[[say mine]]', allowActionOverride: true })
  const closed = await webhookAgent(someone, { systemPrompt: '[[say mine]]' })
  const action = '[[say theirs]]'
  const cases = [
    [open, { action }, 'used', action],
    [open, { action: '' }, 'absent', '[[say mine]]'],
    [open, { action: ' \n' }, 'absent', '[[say mine]]'],
    [open, { action: { say: action } }, 'absent', '[[say mine]]'],
    [open, { other: action }, 'absent', '[[say mine]]'],
    [closed, { action }, 'not-allowed', '[[say mine]]'],
    [closed, { other: action }, 'absent', '[[say mine]]'],
  ] as const
  for (const [agent, payload, override, systemPrompt] of cases) {
    const { runId } = (await deliver(platform, agent, payload)).body
    t.is((await ended(someone, runId)).status, 'completed')
    const timeline = await timelineOf(someone, runId)
    t.like(dataOf(timeline, 'started')[0], { override, systemPrompt })
    t.regex(said(timeline), override === 'used' ? /theirs/ : /mine/)
    t.deepEqual(dataOf(timeline, 'accepted')[0]?.['payload'], payload)
  }
})

test('a manual run of an agent that allows the override works under its own prompt', async (t) => {
  const platform = await startPlatform(t, { worker: true })
  const someone = await customer(platform)
  const agent = await webhookAgent(someone, { systemPrompt: '[[say mine]]', allowActionOverride: true })
  const { id } = (await start(someone, agent)).body
  await ended(someone, id)
  t.like(dataOf(await timelineOf(someone, id), 'started')[0], { override: 'absent', systemPrompt: '[[say mine]]' })
  t.is((await runsOf(someone, agent)).length, 1)
})
