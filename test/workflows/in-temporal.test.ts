import test from 'ava'
import * as agents from '../../api/agents.ts'
import * as auth from '../../api/auth.ts'
import * as vault from '../../api/vault.ts'
import { agentQueueId, agentRunId, scheduleId } from '../../workflows/messages.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { startGatedTools } from '../helpers/gate.ts'
import { agentOf, ended, timelineOf } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { cancel, dataOf, happened, scriptsOn, start, waiting } from '../helpers/runs.ts'
import { scheduledAgent } from '../helpers/schedules.ts'
import { startSites } from '../helpers/sites.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { countOf, historyOf, openClient } from './scenarios.ts'

/** A platform with a worker, and two sites whose calls pass when a test lets them: one a test. */
const open = forWholeFile(test, 'in Temporal', async (t) => {
  const sites = await startSites(t)
  const gated = { cancelled: await startGatedTools(t, sites), paused: await startGatedTools(t, sites) }
  const allow = [...sites.allow, ...Object.values(gated).flatMap((one) => one.allow)]
  const platform = await startPlatform(t, { sites: { ...sites, allow }, worker: true })
  return { scripts: await scriptsOn({ sites, platform, spares: [] }), client: openClient(t), gated }
})

/** A run whose one call has reached the site's gate, and does not pass it before that is opened. */
async function beforeGate(name: 'cancelled' | 'paused') {
  const { scripts, gated } = await open()
  const { someone } = scripts
  const { gate, origin, acceptHosts } = gated[name]
  gate.shut()
  const entry = await call(someone, vault.addToVault, { body: { url: origin, token: 'any-token', acceptHosts } })
  const sites = [{ vaultEntryId: entry.body.id }]
  const agent = await agentOf(someone, { systemPrompt: '[[call echo_text {"text":"a"}]]', sites })
  const { id } = (await start(someone, agent)).body
  await eventually(30, 'the call has a connection', () => gate.taken() > 0 || undefined)
  return { someone, agent, id, gate }
}

const cancelAsked = 'WORKFLOW_EXECUTION_CANCEL_REQUESTED'

/** How the run's workflow has closed. */
async function closed(runId: string): Promise<string> {
  const { client } = await open()
  const handle = client.workflow.getHandle(agentRunId(runId))
  return eventually(20, 'the workflow closes', async () => {
    const { status } = await handle.describe()
    return status.name === 'RUNNING' ? undefined : status.name
  })
}

test('a run closes in Temporal in the colour of its ending', async (t) => {
  const { scripts, client } = await open()
  const { run: completed } = await scripts.follow('[[say done]]')
  const { run: failed } = await scripts.follow('[[fail 400]]')
  const { id: told } = (await start(scripts.someone, await scripts.scripted('[[sleep 60]]'))).body
  await happened(scripts.someone, told, 'step.started')
  await cancel(scripts.someone, told)
  const colours = await Promise.all([completed.id, failed.id, told].map(closed))
  t.deepEqual(colours, ['COMPLETED', 'FAILED', 'CANCELLED'])
  t.is(countOf(await historyOf(client, agentRunId(told)), cancelAsked), 1)
})

test('Temporal shows what a run does, has tool calls on a task queue of their own, and lets owners take turns', async (t) => {
  const { scripts, client } = await open()
  const { platform, someone } = scripts
  const { agent, run } = await scripts.follow('[[call echo_text {"text":"a"}]] [[then]] [[say done]]')
  const { events } = await historyOf(client, agentRunId(run.id))
  const scheduled = events.flatMap(({ activityTaskScheduledEventAttributes: activity }) => activity ?? []) as {
    activityType: { name: string }
    taskQueue: { name: string }
  }[]
  const { taskQueue } = platform.config.temporal
  t.deepEqual(
    scheduled.map((activity) => [activity.activityType.name, activity.taskQueue.name]),
    [
      ['advance', taskQueue],
      ['callTool', `${taskQueue}-tools`],
      ['advance', taskQueue],
    ],
  )
  const summaries = events.flatMap(({ userMetadata }) => {
    const data = (userMetadata as { summary?: { data?: string } } | undefined)?.summary?.data
    return data === undefined ? [] : [JSON.parse(Buffer.from(data, 'base64').toString()) as string]
  })
  for (const shown of ['step 1', 'echo_text']) t.true(summaries.includes(shown), summaries.join())
  const started = events[0]?.workflowExecutionStartedEventAttributes as { workflowRunTimeout: string } | undefined
  const { waitSeconds, minutes } = platform.config.budgets
  const seconds = Number.parseInt(started?.workflowRunTimeout ?? '', 10)
  t.true(seconds > waitSeconds + minutes * 60, 'Temporal ends no run that has waited and worked for as long as it may')
  const owner = (await call(someone, auth.me)).body.id
  for (const workflowId of [agentQueueId(agent.id), agentRunId(run.id)])
    t.is((await client.workflow.getHandle(workflowId).describe()).priority?.fairnessKey, owner, workflowId)
})

test('a run that nobody tells of its cancel learns it from the record, and is not green in Temporal', async (t) => {
  const { scripts, client } = await open()
  const { database } = scripts.platform.services
  const { id, gate } = await beforeGate('cancelled')
  const wish = { cancelRequestedAt: new Date(), cancelReason: 'CANCELLED_BY_OWNER' }
  await database('runs').where({ id }).update(wish)
  gate.open()
  // The SDK lets a workflow close as cancelled only if Temporal was asked to cancel it.
  t.is(await closed(id), 'FAILED')
  const ending = { status: 'cancelled', reason: 'CANCELLED_BY_OWNER', epoch: 1 }
  t.like(await database('runs').where({ id }).first(), ending, 'its end was not forced')
  const history = await historyOf(client, agentRunId(id))
  t.is(countOf(history, cancelAsked), 0)
})

test('a run that waits goes on as soon as it is told to', async (t) => {
  const { someone, agent, id, gate } = await beforeGate('paused')
  await call(someone, agents.pauseAgent, { params: { agentId: agent.id } })
  gate.open()
  await waiting(someone, id)
  await call(someone, agents.resumeAgent, { params: { agentId: agent.id } })
  t.is((await ended(someone, id, 15)).status, 'completed')
  t.deepEqual(dataOf(await timelineOf(someone, id), 'recovered'), [], 'its workflow is not replaced')
})

test('a resume that comes while the record is being asked is not lost', async (t) => {
  const { scripts, client } = await open()
  const { someone, platform } = scripts
  const agent = await scripts.scripted('[[sleep 3]] [[call echo_text {"text":"a"}]] [[then]] [[say done]]')
  const { id } = (await start(someone, agent)).body
  await happened(someone, id, 'step.started')
  await call(someone, agents.pauseAgent, { params: { agentId: agent.id } })
  // The answer to the question that is under way will be to wait, and may be older than what this is about.
  await platform.services.temporal.resumeRun(id)
  await waiting(someone, id)
  await eventually(10, 'the record is asked again', async () => {
    const history = await historyOf(client, agentRunId(id))
    return countOf(history, 'ACTIVITY_TASK_SCHEDULED') === 2 || undefined
  })
  await call(someone, agents.resumeAgent, { params: { agentId: agent.id } })
  t.is((await ended(someone, id)).status, 'completed')
})

test('Temporal shows whose runs, run and fire a workflow is, in words that the name cannot leave', async (t) => {
  const { scripts, client } = await open()
  const name = `Tri”age ${'x'.repeat(90)}`
  const shown = `“Tri'age ${'x'.repeat(51)}…”`
  const summaryOf = (workflowId: string) =>
    client.workflow
      .getHandle(workflowId)
      .describe()
      .then((one) => one.staticSummary())
  const agent = await agentOf(scripts.someone, { name, systemPrompt: '[[say done]]' })
  const { id } = (await start(scripts.someone, agent)).body
  await ended(scripts.someone, id)
  t.is(await summaryOf(agentQueueId(agent.id)), `Runs of ${shown}, one at a time and in order of arrival`)
  t.is(await summaryOf(agentRunId(id)), `manual run 1 of ${shown}`)

  const { id: agentId } = await scheduledAgent(scripts.someone, { name, cron: '0 0 1 1 *' })
  await scripts.platform.services.schedules.settled()
  const { action } = await client.schedule.getHandle(scheduleId(agentId)).describe()
  t.is(action.staticSummary, `Starts a scheduled run of ${shown}, or records why not`)
})

test('a fire that comes late is recorded for the time that its schedule names', async (t) => {
  const { scripts, client } = await open()
  const { database, schedules, temporal } = scripts.platform.services
  const nominal = new Date(Math.floor(Date.now() / 60_000) * 60_000 - 60_000)
  // Of its year it names this minute only: no other fire comes in between.
  const cron = [nominal.getUTCMinutes(), nominal.getUTCHours(), nominal.getUTCDate(), nominal.getUTCMonth() + 1, '*']
  const fields = { cron: cron.join(' '), systemPrompt: '[[say done]]' }
  const { id: agentId } = await scheduledAgent(scripts.someone, fields)
  await schedules.settled()
  const before = new Date(nominal.getTime() - 1000)
  await database('schedules').where({ agentId }).update({ recordedUntil: before, nextFireAt: nominal })
  await temporal.schedules.backfill(agentId, before, nominal)
  const workflowId = `${scheduleId(agentId)}-${nominal.toISOString().replace('.000', '')}`
  await eventually(20, 'the tick is over', async () => {
    const found = await client.workflow
      .getHandle(workflowId)
      .describe()
      .catch(() => undefined)
    return found && found.status.name !== 'RUNNING' ? true : undefined
  })
  t.like(await database('schedule_fires').where({ agentId, nominalAt: nominal }).first(), { outcome: 'ran' })
})
