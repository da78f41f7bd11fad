import test from 'ava'
import { agentQueueId, agentRunId } from '../../workflows/messages.ts'
import { eventually } from '../helpers/eventually.ts'
import { ended, runOf, timelineOf } from '../helpers/people.ts'
import { cancel, dataOf, openScripts, start } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { continuedRun, countOf, historyOf, openClient } from './scenarios.ts'

const open = forWholeFile(test, 'continued runs', async (t) => ({
  scripts: await openScripts(t),
  client: openClient(t),
}))

test('a run whose history has grown continues in another execution, which repeats nothing', async (t) => {
  const { scripts, client } = await open()
  const { id, first, resume } = await continuedRun(scripts, client)
  await resume()
  t.like(await ended(scripts.someone, id), { status: 'completed', steps: 3, toolCalls: 2 })
  const timeline = await timelineOf(scripts.someone, id)
  t.is(dataOf(timeline, 'recovered').length, 0)
  t.deepEqual(
    dataOf(timeline, 'step.started').map(({ step, attempt }) => [step, attempt]),
    [
      [1, 1],
      [2, 1],
      [3, 1],
    ],
  )
  t.is(scripts.sent(id).length, 2)
  const history = await historyOf(client, agentRunId(id), first)
  t.is(countOf(history, 'WORKFLOW_EXECUTION_CONTINUED_AS_NEW'), 1)
})

test('an operator finds the later execution like the first, and the queue waits for it', async (t) => {
  const { scripts, client } = await open()
  const { someone } = scripts
  const { id, first, resume } = await continuedRun(scripts, client)
  const handle = client.workflow.getHandle(agentRunId(id))
  const [before, now] = await Promise.all([
    client.workflow.getHandle(agentRunId(id), first).describe(),
    handle.describe(),
  ])
  t.is(before.status.name, 'CONTINUED_AS_NEW')
  const { agentId } = await runOf(someone, id)
  const found = ({ typedSearchAttributes: attributes }: typeof now) =>
    Object.fromEntries(attributes.getAll().map(({ key, value }) => [key.name, value]))
  const { AgentId, OwnerId, Trigger } = found(before)
  t.is(AgentId, agentId)
  t.like(found(now), { AgentId, OwnerId, Trigger })
  const queue = await client.workflow.getHandle(agentQueueId(agentId)).describe()
  t.is(queue.status.name, 'RUNNING')
  await resume()
  t.like(await ended(someone, id), { status: 'completed' })
  // The queue has learnt of the end, and goes on.
  const { id: next } = (await start(someone, { id: agentId })).body
  t.like(await ended(someone, next, 60), { status: 'completed' })
  const history = await historyOf(client, agentQueueId(agentId), queue.runId)
  t.true(countOf(history, 'CHILD_WORKFLOW_EXECUTION_COMPLETED') >= 1)
})

test('a run that was continued is cancelled like any other', async (t) => {
  const { scripts, client } = await open()
  const { id } = await continuedRun(scripts, client)
  await cancel(scripts.someone, id)
  t.like(await ended(scripts.someone, id), { status: 'cancelled' })
  await eventually(20, 'its execution closes', async () => {
    const { status } = await client.workflow.getHandle(agentRunId(id)).describe()
    return status.name === 'CANCELLED' || undefined
  })
})
