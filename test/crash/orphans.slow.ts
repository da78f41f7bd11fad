// @promise repairs
import test, { type ExecutionContext } from 'ava'
import * as agents from '../../api/agents.ts'
import { newId } from '../../src/ids.ts'
import { agentQueueId, agentRunId } from '../../workflows/messages.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { customer, deliver, ended, timelineOf, webhookAgent, type Person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { cancel, dataOf, waiting } from '../helpers/runs.ts'
import { openOperator } from './operator.ts'
import { courseOf, isGapless, measured, repairsOf, untilEvent } from './record.ts'
import { openStage, reconcile } from './stage.ts'

const impatient = { RECONCILE_SECONDS: '1', STALL_SECONDS: '2' }

async function tell(t: ExecutionContext, someone: Person, runId: string, since: number): Promise<void> {
  const timeline = await timelineOf(someone, runId)
  t.true(isGapless(timeline.map(({ number }) => number)))
  measured(t, `${Date.now() - since} ms until the run had ended: ${courseOf(timeline).join(', ')}`)
  for (const { note } of dataOf(timeline, 'recovered')) measured(t, String(note))
}

// @promise temporal
test('whatever of an agent an operator deletes or terminates in Temporal, its queue goes on', async (t) => {
  const stage = await openStage(t, { env: impatient })
  const { platform } = stage
  await platform.startWorker()
  reconcile(t, platform)
  const someone = await customer(stage.platform)
  const operator = await openOperator(t, stage)
  const agentIn = async (seconds: number) => {
    const agent = await webhookAgent(someone, { systemPrompt: 'Report.', allowActionOverride: true })
    const { runId } = (await deliver(stage.platform, agent, { action: `[[sleep ${seconds}]]` })).body
    const { runId: next } = (await deliver(stage.platform, agent, {})).body
    await untilEvent(someone, runId, 'step.started')
    return { agent, runId, next, queueId: agentQueueId(agent.id), workflowId: agentRunId(runId) }
  }
  const [run, queue] = await Promise.all([agentIn(60), agentIn(6)])
  await Promise.all([operator.delete(run.workflowId), operator.delete(queue.queueId)])
  t.like(await ended(someone, run.runId, 30), { status: 'failed', reason: 'TERMINATED' })
  // Temporal may forget the queue before it has told the run: then it is taken up again in place of being cancelled.
  t.regex((await ended(someone, queue.runId, 60)).status, /^(cancelled|completed)$/)
  const [both, terminated] = await Promise.all([agentIn(6), agentIn(6)])
  // With a worker, it would be chance whether the run learns of its queue's end before its own.
  await platform.stopWorker()
  const began = Date.now()
  await Promise.all([
    operator.delete(both.queueId).then(() => operator.delete(both.workflowId)),
    operator.terminate(terminated.queueId).then(() => operator.terminate(terminated.workflowId)),
  ])
  // What is deleted is terminated first.
  await eventually(
    20,
    'Temporal has forgotten the run',
    async () => !(await operator.knows(both.workflowId)) || undefined,
  )
  await platform.startWorker()
  t.is((await ended(someone, both.runId, 60)).status, 'completed')
  t.true(repairsOf(platform.logs, both.agent.id).includes('restart'))
  await tell(t, someone, both.runId, began)
  t.like(await ended(someone, terminated.runId, 60), { status: 'failed', reason: 'TERMINATED' })
  t.true(repairsOf(platform.logs, terminated.agent.id).includes('end-run'))
  for (const { next } of [run, queue, both, terminated]) t.is((await ended(someone, next, 60)).status, 'completed')
})

test('workflows that cannot go on are ended, whoever is behind them, and the runs of the record are carried out', async (t) => {
  const stage = await openStage(t, { env: impatient })
  const { platform } = stage
  const cutOff = await startPlatform(t, { env: { ...stage.environment, TEMPORAL_ADDRESS: '127.0.0.1:1' } })
  const someone = await customer(platform)
  const operator = await openOperator(t, stage)
  // The first step lasts until the agent is paused, however late that is on a busy machine.
  const twoSteps = '[[sleep 10]] [[call nothing {}]] [[then]] [[say done]]'
  const scripted = (systemPrompt: string) => webhookAgent(someone, { systemPrompt })
  const send = async (agent: Awaited<ReturnType<typeof scripted>>) => (await deliver(platform, agent, {})).body.runId

  const [failing, stuck, sleeper, forgotten] = await Promise.all(
    ['Report.', 'Report.', twoSteps, twoSteps].map(scripted),
  )
  const failed = await send(failing!)
  await operator.wedge('agentRun', agentRunId(failed))
  await operator.wedge('agentQueue', agentQueueId(stuck!.id))
  const queued = await send(stuck!)
  // Another task queue that our types were started on, and something else that was started by hand.
  const [misplaced, barred] = await Promise.all(['Report.', 'Report.'].map(scripted))
  const displaced = await send(misplaced!)
  await operator.occupy(agentRunId(displaced), 'agentRun')
  await operator.occupy(agentQueueId(barred!.id), 'nonsense')
  const kept = await send(barred!)
  const strangers = [agentRunId(newId()), agentQueueId(newId())] as const
  await operator.wedge('agentRun', strangers[0])
  await operator.wedge('agentQueue', strangers[1])
  const [asleep, unwanted] = await Promise.all([send(sleeper!), send(forgotten!)])
  const behind = await send(forgotten!)
  const began = Date.now()
  await platform.startWorker()
  reconcile(t, platform)
  const pauseInFirstStep = async (agent: { id: string }, runId: string) => {
    await untilEvent(someone, runId, 'step.started')
    await call(someone, agents.pauseAgent, { params: { agentId: agent.id } })
  }
  await Promise.all([pauseInFirstStep(sleeper!, asleep), pauseInFirstStep(forgotten!, unwanted)])
  await Promise.all([waiting(someone, asleep), waiting(someone, unwanted)])

  // The record says that this one is at work, its workflow sleeps until tomorrow.
  await platform.services.database.raw(
    `update runs set status = 'running', waiting_cause = null, waiting_since = null, waiting_until = null where id = ?`,
    [asleep],
  )
  await call({ ...someone, url: cutOff.url }, agents.resumeAgent, { params: { agentId: sleeper!.id } })
  // And this one is over, but Temporal has not been told.
  const elsewhere = { ...someone, url: cutOff.url }
  t.is((await cancel(elsewhere, unwanted)).body.status, 'cancelled')
  await call(elsewhere, agents.resumeAgent, { params: { agentId: forgotten!.id } })

  for (const runId of [failed, queued, displaced, kept, asleep, behind]) {
    t.is((await ended(someone, runId, 60)).status, 'completed')
    await tell(t, someone, runId, began)
  }
  await operator.wedge('agentRun', agentRunId(failed))
  for (const id of [...strangers, agentRunId(failed)]) {
    await eventually(30, `${id} is ended`, async () => (await operator.statusOf(id)) === 'TERMINATED' || undefined)
  }
  const epochs = async (runId: string) =>
    dataOf(await timelineOf(someone, runId), 'recovered').map(({ epoch }) => epoch)
  t.is((await epochs(failed))[0], 2)
  t.is((await epochs(displaced))[0], 2)
  const idOf = (workflowId: string) => workflowId.split('/')[1] ?? ''
  for (const [id, repair] of [
    [failed, /^restart$/],
    [stuck!.id, /^restart$/],
    [displaced, /^restart$/],
    [barred!.id, /^restart$/],
    [asleep, /^restart$/],
    [failed, /^end-orphan$/],
    ...strangers.map((workflowId) => [idOf(workflowId), /^end-orphan$/] as const),
  ] as const) {
    t.true(
      repairsOf(platform.logs, id).some((one) => repair.test(one)),
      `${repair} was logged`,
    )
  }
})
