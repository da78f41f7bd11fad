// @promise crashes
import test, { type ExecutionContext } from 'ava'
import * as vault from '../../../api/vault.ts'
import { decide, asked } from '../../helpers/approvals.ts'
import { call } from '../../helpers/client.ts'
import { eventually } from '../../helpers/eventually.ts'
import { agentOf, customer, ended, runOf, timelineOf } from '../../helpers/people.ts'
import { startPlatform, type Platform } from '../../helpers/platform.ts'
import { cancel, dataOf, start, waiting } from '../../helpers/runs.ts'
import { completed, done, startTaskServer } from '../../helpers/tasks.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'

const platformOf = forWholeFile(test, 'jobs', (t) =>
  startPlatform(t, { worker: true, env: { RECONCILE_SECONDS: '1' } }),
)

/** A run whose only call is one that its site works on. */
async function workingRun(t: ExecutionContext, platform: Platform) {
  const server = await startTaskServer(t)
  const someone = await customer(platform)
  const { id: vaultEntryId } = (await call(someone, vault.addToVault, { body: { url: server.url } })).body
  const agent = await agentOf(someone, {
    systemPrompt: '[[call work]] [[then]] [[say Done.]]',
    sites: [{ vaultEntryId }],
  })
  const { id } = (await start(someone, agent)).body
  await waiting(someone, id)
  const polled = (times: number) =>
    eventually(30, `the site was asked ${times} times`, () => server.asked('tasks/get').length >= times || undefined)
  const outcome = async () => {
    await ended(someone, id, 60)
    const [finished, ...others] = dataOf(await timelineOf(someone, id), 'tool.finished')
    if (!finished || others.length > 0) throw new Error('the call did not end once')
    return finished
  }
  return { server, someone, id, vaultEntryId, polled, outcome }
}

test('a run waits for a call that its site works on, in one wait, and gets its result', async (t) => {
  const { server, someone, id, polled, outcome } = await workingRun(t, await platformOf())
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
  const approval = await eventually(30, 'a person is asked', async () => (await asked(someone))[0])
  t.like(approval, { tool: 'work', form: { message: 'Which size?' } })
  await decide(someone, approval.id, 'approve', { input: { size: 'm' } })
  await eventually(30, 'the task is answered', () => server.asked('tasks/update').length > 0 || undefined)
  t.like(server.asked('tasks/update')[0], { inputResponses: { first: { action: 'accept', content: { size: 'm' } } } })
  server.said = completed({ content: [], structuredContent: { sum: 7 } })
  t.like(await outcome(), { status: 'succeeded', attempts: 1, result: { sum: 7 } })
  t.is(server.calls().length, 1)
  t.is((await asked(someone)).length, 0)
})

test('a server is told once that a cancelled run waits no longer for its task', async (t) => {
  const { server, someone, id, outcome } = await workingRun(t, await platformOf())
  await cancel(someone, id)
  t.like(await outcome(), { status: 'unknown' })
  await eventually(30, 'the task is cancelled', () => server.asked('tasks/cancel').length > 0 || undefined)
  t.is(server.asked('tasks/cancel').length, 1)
})
