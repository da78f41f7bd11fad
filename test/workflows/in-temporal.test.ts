import test from 'ava'
import * as agents from '../../api/agents.ts'
import { agentRunId, scheduleId } from '../../workflows/messages.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { ended } from '../helpers/people.ts'
import { cancel, happened, openScripts, start, waiting } from '../helpers/runs.ts'
import { scheduledAgent } from '../helpers/schedules.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { historyOf, openClient } from './scenarios.ts'

const open = forWholeFile(test, 'in Temporal', async (t) => ({ scripts: await openScripts(t), client: openClient(t) }))

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
  const { scripts } = await open()
  const { run: completed } = await scripts.follow('[[say done]]')
  const { run: failed } = await scripts.follow('[[fail 400]]')
  const begun = async (script: string) => {
    const { id } = (await start(scripts.someone, await scripts.scripted(script))).body
    await happened(scripts.someone, id, 'step.started')
    return id
  }
  const told = await begun('[[sleep 60]]')
  await cancel(scripts.someone, told)
  // Nobody tells its workflow; it learns from the record.
  const untold = await begun('[[sleep 1]]')
  const wish = { cancelRequestedAt: new Date(), cancelReason: 'CANCELLED_BY_OWNER' }
  await scripts.platform.services.database('runs').where({ id: untold }).update(wish)
  const colours = await Promise.all([completed.id, failed.id, told].map(closed))
  t.deepEqual(colours, ['COMPLETED', 'FAILED', 'CANCELLED'])
  t.not(await closed(untold), 'COMPLETED')
})

test('a run that waits goes on as soon as it is told to', async (t) => {
  const { scripts } = await open()
  const { someone } = scripts
  const agent = await scripts.scripted('[[sleep 1]] [[call echo_text {"text":"a"}]]')
  const { id } = (await start(someone, agent)).body
  await happened(someone, id, 'step.started')
  await call(someone, agents.pauseAgent, { params: { agentId: agent.id } })
  await waiting(someone, id)
  await call(someone, agents.resumeAgent, { params: { agentId: agent.id } })
  t.is((await ended(someone, id, 10)).status, 'completed')
})

test('Temporal shows which step and which tool an activity is', async (t) => {
  const { scripts, client } = await open()
  const { run } = await scripts.follow('[[call echo_text {"text":"a"}]]')
  const { events } = await historyOf(client, agentRunId(run.id))
  const summaries = events.flatMap(({ userMetadata }) => {
    const data = (userMetadata as { summary?: { data?: string } } | undefined)?.summary?.data
    return data === undefined ? [] : [JSON.parse(Buffer.from(data, 'base64').toString()) as string]
  })
  t.true(summaries.includes('step 1'))
  t.true(summaries.includes('echo_text'), summaries.join())
})

test('a fire that comes late is recorded for the time that its schedule names', async (t) => {
  const { scripts, client } = await open()
  const { database, schedules, temporal } = scripts.platform.services
  const { id: agentId } = await scheduledAgent(scripts.someone, { cron: '* * * * *', systemPrompt: '[[say done]]' })
  await schedules.settled()
  const nominal = new Date(Math.floor(Date.now() / 60_000) * 60_000 - 60_000)
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
