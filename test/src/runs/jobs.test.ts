// @promise crashes
import test from 'ava'
import * as agents from '../../../api/agents.ts'
import { approvalsOf, asked, decide } from '../../helpers/approvals.ts'
import { call } from '../../helpers/client.ts'
import { eventually } from '../../helpers/eventually.ts'
import { runOf, timelineOf } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { cancel, dataOf } from '../../helpers/runs.ts'
import { completed, done, workingRun } from '../../helpers/tasks.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'

const platformOf = forWholeFile(test, 'jobs', (t) =>
  startPlatform(t, { worker: true, env: { RECONCILE_SECONDS: '1' } }),
)

test('a run waits for a call that its site works on, in one wait, and gets its result', async (t) => {
  const { server, someone, id, polled, outcome } = await workingRun(t, await platformOf())
  await polled(1)
  t.like(await runOf(someone, id), { status: 'waiting', waitingCause: 'job', waitingFor: server.url })
  await polled(2)
  t.like(await runOf(someone, id), { status: 'waiting', waitingCause: 'job' })
  server.said = done
  t.like(await outcome(), {
    status: 'succeeded',
    attempts: 1,
    result: { content: [{ type: 'text', text: 'All done.' }] },
  })
  t.is(server.calls().length, 1)
  const timeline = await timelineOf(someone, id)
  t.like(dataOf(timeline, 'wait.started'), { 0: { cause: 'job' }, length: 1 })
  t.like(dataOf(timeline, 'wait.ended'), { 0: { cause: 'job' }, length: 1 })
  t.is((await runOf(someone, id)).status, 'completed')
})

test('a task that its server has forgotten leaves the call in doubt, and it is not sent again', async (t) => {
  const { server, outcome } = await workingRun(t, await platformOf())
  server.tasks.clear()
  const { status, result } = await outcome()
  t.is(status, 'unknown')
  t.regex(String(result), /no longer knows/)
  t.is(server.calls().length, 1)
})

test('requests about a task that fail are made again, and count as no attempts', async (t) => {
  const { server, polled, outcome } = await workingRun(t, await platformOf())
  const { instead } = server
  server.instead = (received, request, response) => {
    if (received.method !== 'tasks/get') return instead(received, request, response)
    response.writeHead(502).end()
    return true
  }
  await polled(2)
  server.instead = instead
  server.said = done
  t.like(await outcome(), { status: 'succeeded', attempts: 1 })
})

test('what a task asks for waits for a person, and the answer is sent to the task', async (t) => {
  const { server, someone, outcome } = await workingRun(t, await platformOf())
  const requestedSchema = { type: 'object', properties: { size: { type: 'string' } }, required: ['size'] }
  const params = { mode: 'form', message: 'Which size?', requestedSchema }
  server.said = { status: 'input_required', inputRequests: { first: { method: 'elicitation/create', params } } }
  const [approval] = await asked(someone)
  if (!approval) return t.fail('nobody was asked')
  t.like(approval, { tool: 'work', form: { message: 'Which size?' } })
  await decide(someone, approval.id, 'approve', { input: { size: 'm' } })
  await eventually(30, 'the task is answered', () => server.asked('tasks/update').length > 0 || undefined)
  t.like(server.asked('tasks/update')[0], { inputResponses: { first: { action: 'accept', content: { size: 'm' } } } })
  server.said = completed({ content: [], structuredContent: { sum: 7 } })
  t.like(await outcome(), { status: 'succeeded', attempts: 1, result: { sum: 7 } })
  return t.is((await approvalsOf(someone)).length, 1)
})

test('a server is told once that the owner has removed its tool from the agent', async (t) => {
  const { server, someone, agent, vaultEntryId, polled, outcome } = await workingRun(t, await platformOf())
  await polled(1)
  const body = { sites: [{ vaultEntryId, tools: [] }] }
  t.is((await call(someone, agents.updateAgent, { params: { agentId: agent.id }, body })).status, 200)
  const { status, result } = await outcome()
  t.is(status, 'unknown')
  t.regex(String(result), /removed the tool/)
  await eventually(30, 'the task is cancelled', () => server.asked('tasks/cancel').length > 0 || undefined)
  t.is(server.asked('tasks/cancel').length, 1)
})

test('a server is told once that a cancelled run waits no longer for its task', async (t) => {
  const { server, someone, id, polled, outcome } = await workingRun(t, await platformOf())
  await polled(1)
  await cancel(someone, id)
  t.like(await outcome(), { status: 'unknown' })
  await eventually(30, 'the task is cancelled', () => server.asked('tasks/cancel').length > 0 || undefined)
  t.is(server.asked('tasks/cancel').length, 1)
})
