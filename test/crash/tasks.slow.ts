// @promise crashes
import test from 'ava'
import { timelineOf } from '../helpers/people.ts'
import { dataOf } from '../helpers/runs.ts'
import { done, workingRun } from '../helpers/tasks.ts'
import { openStage, reconcile } from './stage.ts'

test('a call that its site works on outlives the worker, and another one gets its result, without a second call', async (t) => {
  const stage = await openStage(t)
  const worker = await stage.startWorker()
  const { server, someone, id, polled, outcome } = await workingRun(t, stage.platform)
  await polled(1)
  const { instead } = server
  let isAsked = false
  // The worker dies while it waits for the response to such a request.
  server.instead = (received, request, response) => {
    if (received.method !== 'tasks/get') return instead(received, request, response)
    isAsked = true
    return true
  }
  await polled(2)
  t.true(isAsked)
  await worker.kill()
  reconcile(t, stage.platform)
  server.instead = instead
  server.said = done
  const before = server.asked('tasks/get').length
  await stage.platform.startWorker({ reconciles: true })
  t.like(await outcome(), { status: 'succeeded', attempts: 1 })
  t.is(server.calls().length, 1)
  t.true(server.asked('tasks/get').length > before)
  t.is(new Set(server.asked('tasks/get').map(({ taskId }) => taskId)).size, 1)
  t.like(dataOf(await timelineOf(someone, id), 'wait.started'), { 0: { cause: 'job' }, length: 1 })
})

test('a worker that is killed before the answer to a call reaches it leaves the call in doubt, and the task alone', async (t) => {
  const stage = await openStage(t)
  const worker = await stage.startWorker()
  const { server, outcome } = await workingRun(t, stage.platform, async (started) => {
    const { instead } = started
    started.instead = (received, request, response) =>
      received.method === 'tools/call'
        ? instead(received, request, neverSent(response))
        : instead(received, request, response)
  })
  await worker.kill()
  reconcile(t, stage.platform)
  await stage.platform.startWorker({ reconciles: true })
  t.like(await outcome(), { status: 'unknown', attempts: 1 })
  t.is(server.calls().length, 1)
  t.is(server.asked('tasks/get').length, 0)
})

/** The server has begun, and its response does not leave it. */
const neverSent = <Response extends object>(_response: Response): Response =>
  ({ writeHead: () => ({ end: () => undefined }) }) as unknown as Response
