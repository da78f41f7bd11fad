// @promise temporal
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import * as agents from '../../api/agents.ts'
import { agentQueueId, agentRunId } from '../../workflows/messages.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { customer, deliver, ended, timelineOf, webhookAgent } from '../helpers/people.ts'
import { sharedServers } from '../helpers/servers.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { cancel, dataOf } from '../helpers/runs.ts'
import { openOperator } from './operator.ts'
import { courseOf, measured, untilEvent } from './record.ts'
import { openStage } from './stage.ts'

/** One for all tests, each of which has a customer and an agent of its own. */
const theStage = forWholeFile(test, 'operators', (t) => openStage(t, { sites: true, worker: true }))

/** An agent whose first run is in the middle of a long model call, and whose second one waits. */
async function busyAgent(t: ExecutionContext) {
  const stage = await theStage()
  const someone = await customer(stage.platform)
  const systemPrompt = 'Report.'
  const agent = await webhookAgent(someone, { systemPrompt, allowActionOverride: true })
  const running = (await deliver(stage.platform, agent, { action: '[[sleep 60]]' })).body
  const queued = (await deliver(stage.platform, agent, {})).body
  await untilEvent(someone, running.runId, 'step.started')
  return { stage, someone, agent, running, queued, temporal: (await openOperator(t, stage)).workflow }
}

test('a run that an operator terminates in Temporal has failed as TERMINATED, and the next one starts', async (t) => {
  const { someone, running, queued, temporal } = await busyAgent(t)
  const began = Date.now()
  await temporal.getHandle(agentRunId(running.runId)).terminate('an operator said so')
  t.like(await ended(someone, running.runId, 15), { status: 'failed', reason: 'TERMINATED' })
  t.is((await ended(someone, queued.runId, 15)).status, 'completed')
  measured(t, `${Date.now() - began} ms until the next run had ended`)
})

test('a run that an operator cancels in Temporal is cancelled on record, and the next one starts', async (t) => {
  const { stage, someone, agent, running, queued, temporal } = await busyAgent(t)
  const began = Date.now()
  await temporal.getHandle(agentRunId(running.runId)).cancel()
  t.like(await ended(someone, running.runId, 15), { status: 'cancelled', reason: 'CANCELLED_BY_OPERATOR' })
  measured(t, `${Date.now() - began} ms until the run had ended`)
  t.is((await ended(someone, queued.runId, 15)).status, 'completed')
  const description = await temporal.getHandle(agentRunId(running.runId)).describe()
  t.is(description.status.name, 'CANCELLED')

  // A record that knows nothing of it, as after a backup was restored.
  const { database, runs } = stage.platform.services
  const forget = (epochs: number) =>
    database.transaction(async (trx) => {
      await trx.raw(
        `update runs set status = 'running', reason = null, error = null, ended_at = null, epoch = epoch + ?,
                       progressed_at = ? where id = ?`,
        [epochs, longAgo, running.runId],
      )
      const row = { unfinished: 1, runningRunId: running.runId, awake: true, progressedAt: longAgo }
      await trx('agent_queues').where({ agentId: agent.id }).update(row)
    })
  const longAgo = new Date(Date.now() - 3_600_000)
  await forget(0)
  await runs.reconciler.reconcileNow(agent.id)
  t.like(await ended(someone, running.runId, 10), { status: 'cancelled', reason: 'CANCELLED_BY_OPERATOR' })
  await forget(1)
  await runs.reconciler.reconcileNow(agent.id)
  t.like(
    dataOf(await timelineOf(someone, running.runId), 'recovered')[0],
    { epoch: 4 },
    'what was given up says nothing',
  )
  await cancel(someone, running.runId)
  t.is((await ended(someone, running.runId)).status, 'cancelled')
})

test('a queue that an operator terminates takes its run along, and the reconciler starts it again', async (t) => {
  const { someone, agent, running, queued, temporal } = await busyAgent(t)
  const began = Date.now()
  await temporal.getHandle(agentQueueId(agent.id)).terminate('an operator said so')
  t.is((await ended(someone, queued.runId, 25)).status, 'completed')
  measured(t, `${Date.now() - began} ms until the next run had ended`)
  const run = await ended(someone, running.runId, 1)
  measured(t, courseOf(await timelineOf(someone, running.runId)).join(', '))
  t.like(run, { status: 'cancelled', reason: 'CANCELLED_BY_OPERATOR' })
})

test('an operator finds the runs that wait, and for what, until they go on', async (t) => {
  const stage = await theStage()
  const someone = await customer(stage.platform)
  const agent = await webhookAgent(someone, { systemPrompt: '[[sleep 1]] [[call no_such_tool]] [[then]] [[say done]]' })
  const { runId } = (await deliver(stage.platform, agent, {})).body
  await untilEvent(someone, runId, 'step.started')
  await call(someone, agents.pauseAgent, { params: { agentId: agent.id } })
  const { workflow } = await openOperator(t, stage)
  const found = async (query: string) => {
    const ids: string[] = []
    for await (const { workflowId } of workflow.list({ query: `AgentId = '${agent.id}' AND ${query}` }))
      ids.push(workflowId)
    return ids.length > 0 ? ids : undefined
  }
  const waits = () => found("WaitingFor = 'paused'")
  t.deepEqual(await eventually(20, 'the run is found as waiting', waits), [agentRunId(runId)])
  await call(someone, agents.resumeAgent, { params: { agentId: agent.id } })
  t.is((await ended(someone, runId)).status, 'completed')
  // The name is a word of the query language too, hence the quotes.
  const query = "WorkflowType = 'agentRun' AND WaitingFor IS NULL AND `Trigger` = 'webhook'"
  t.deepEqual(await eventually(20, 'it is found as not waiting', () => found(query)), [agentRunId(runId)])
})

test('a run that an operator resets to its beginning repeats nothing that is on record', async (t) => {
  const stage = await theStage()
  const someone = await customer(stage.platform)
  const systemPrompt = '[[call no_such_tool]] [[then]] [[sleep 5]] [[say done]]'
  const { runId } = (await deliver(stage.platform, await webhookAgent(someone, { systemPrompt }), {})).body
  await untilEvent(someone, runId, 'step.started', ({ data }) => data['step'] === 2)
  const { temporal, temporalBinary } = sharedServers()
  const reset = ['workflow', 'reset', '--workflow-id', agentRunId(runId), '--type', 'FirstWorkflowTask']
  await promisify(execFile)(temporalBinary, [...reset, '--reason', 'so', '--address', temporal])
  t.like(await ended(someone, runId), { status: 'completed', steps: 2 })
  const course = courseOf(await timelineOf(someone, runId))
  t.deepEqual(
    course.filter((event) => event.startsWith('step.')),
    ['step.started 1 1', 'step.finished 1 1', 'step.started 2 1', 'step.started 2 2', 'step.finished 2 2'],
  )
})
