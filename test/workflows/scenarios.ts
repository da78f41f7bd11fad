import { Client, Connection } from '@temporalio/client'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import type { ExecutionContext } from 'ava'
import * as agents from '../../api/agents.ts'
import * as vault from '../../api/vault.ts'
import { agentQueueId, agentRunId, resumeSignal, scheduleId, wakeSignal } from '../../workflows/messages.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { deliver, ended, webhookAgent } from '../helpers/people.ts'
import { allEnded, cancel, happened, start, waiting, type Scripts } from '../helpers/runs.ts'
import { scheduledAgent } from '../helpers/schedules.ts'
import { temporalAddress } from '../helpers/temporal.ts'

/** A history in the JSON of Temporal's command line. */
export interface History {
  events: { eventId: string; eventType: string; [attributes: string]: unknown }[]
}

/** A client of the server that all tests share, closed with the test. */
export function openClient(t: ExecutionContext): Client {
  // A history may be longer than gRPC takes by itself.
  const channelArgs = { 'grpc.max_receive_message_length': -1 }
  const connection = Connection.lazy({ address: temporalAddress(), channelArgs })
  t.teardown(() => connection.close())
  return new Client({ connection })
}

export async function historyOf(client: Client, workflowId: string, executionId?: string): Promise<History> {
  return JSON.parse(historyToJSON(await client.workflow.getHandle(workflowId, executionId).fetchHistory())) as History
}

/** Waits until the workflow has closed, however it did, and returns its whole history. */
async function closedHistory(client: Client, workflowId: string): Promise<History> {
  await client.workflow
    .getHandle(workflowId)
    .result()
    .catch(() => undefined)
  return historyOf(client, workflowId)
}

export const countOf = (history: History, type: string): number =>
  history.events.filter(({ eventType }) => eventType === `EVENT_TYPE_${type}`).length

/**
 * Holds the lock of an agent's queue, so that `claimNext` waits, until a wake-up has come in between: then the claim
 * finds nothing, and the wake-up must not be lost with it. The signal is in the history only after Temporal's heartbeat
 * of the workflow task, 8 s after its start.
 */
export async function wakeWhileClaiming({ platform, scripted }: Scripts, client: Client): Promise<History> {
  const { database, temporal } = platform.services
  const { id: agentId } = await scripted('[[say done]]')
  const row = (await database('agents').where({ id: agentId }).first('ownerId')) as { ownerId: string }
  const wake = () => temporal.wakeAgent({ agentId, ownerId: row.ownerId, agentName: 'An agent' })
  await database.transaction(async (trx) => {
    await trx('agent_queues').where({ agentId }).forUpdate()
    await wake()
    await eventually(10, 'the claim waits for the lock', async () => {
      await trx.raw('select 1')
      const waiting = await database('pg_stat_activity')
        .whereRaw('datname = current_database()')
        .where({ wait_event_type: 'Lock' })
      return waiting.length > 0 || undefined
    })
    await wake()
    await eventually(20, 'the second wake-up reaches the workflow', async () => {
      // Who holds a lock and does nothing for seconds loses it.
      await trx.raw('select 1')
      const history = await historyOf(client, agentQueueId(agentId))
      return countOf(history, 'WORKFLOW_EXECUTION_SIGNALED') === 2 || undefined
    })
  })
  return closedHistory(client, agentQueueId(agentId))
}

/**
 * Wakes an agent's queue that has nothing to do until Temporal suggests that it continue as new: when its history has four
 * megabytes, which the signals bring along. They are left out of what is returned; nobody reads them.
 */
export async function wakeUntilLong({ platform, scripted }: Scripts, client: Client): Promise<History> {
  const { database, temporal } = platform.services
  const { id: agentId } = await scripted('[[say done]]')
  const { ownerId } = (await database('agents').where({ id: agentId }).first('ownerId')) as { ownerId: string }
  await temporal.wakeAgent({ agentId, ownerId, agentName: 'An agent' })
  const queue = client.workflow.getHandle(agentQueueId(agentId))
  const { runId } = await queue.describe()
  // One after the other: a workflow task during which more than two megabytes come is taken away from its worker.
  for (let times = 1; times <= 3; times += 1) {
    await eventually(10, 'the queue lingers', async () => {
      const history = await historyOf(client, agentQueueId(agentId), runId)
      return countOf(history, 'TIMER_STARTED') === times || undefined
    })
    await queue.signal(wakeSignal, 'a'.repeat(1_500_000))
  }
  await eventually(10, 'the execution is over', async () => {
    const { runId: present, status } = await queue.describe()
    return present !== runId || status.name !== 'RUNNING' || undefined
  })
  return withoutInput(await historyOf(client, agentQueueId(agentId), runId))
}

/**
 * A run that waits until its agent is resumed, and gets four megabytes of signals meanwhile, so that Temporal suggests
 * that it continue as new. The signals say only "look at the record again".
 */
export async function continuedRun({ scripted, someone }: Scripts, client: Client) {
  const script =
    '[[sleep 8]] [[call echo_text {"text":"a"}]] [[then]] [[call echo_text {"text":"b"}]] [[then]] [[say done]]'
  const agent = await scripted(script)
  const { id } = (await start(someone, agent)).body
  await happened(someone, id, 'step.started')
  await call(someone, agents.pauseAgent, { params: { agentId: agent.id } }).then(({ body }) => body)
  await waiting(someone, id)
  const handle = client.workflow.getHandle(agentRunId(id))
  const { runId: first } = await handle.describe()
  // One after the other: a workflow task during which more than two megabytes come is taken away from its worker.
  for (let times = 1; times <= 3; times += 1) {
    await eventually(20, 'the run waits again', async () => {
      const history = await historyOf(client, agentRunId(id), first)
      return countOf(history, 'TIMER_STARTED') === times || undefined
    })
    await handle.signal(resumeSignal, 'a'.repeat(1_500_000))
  }
  await eventually(30, 'the run continues in another execution', async () => {
    const { runId } = await handle.describe()
    return runId !== first || undefined
  })
  const resume = () => call(someone, agents.resumeAgent, { params: { agentId: agent.id } }).then(({ body }) => body)
  return { id, first, resume }
}

const withoutInput = ({ events }: History): History => ({
  events: events.map((event) => {
    const { input: _filler, ...rest } = (event['workflowExecutionSignaledEventAttributes'] ?? {}) as { input?: unknown }
    return event.eventType.endsWith('_SIGNALED') ? { ...event, workflowExecutionSignaledEventAttributes: rest } : event
  }),
})

const replaceToken = async ({ someone, vaultEntryId: entryId }: Scripts, token: string) =>
  (await call(someone, vault.replaceVaultToken, { params: { entryId }, body: { token } })).body

/** A run that waits for a new token, by its id. */
async function parkedRun(scripts: Scripts): Promise<string> {
  await replaceToken(scripts, 'bad-token')
  const { id } = (await start(scripts.someone, await scripts.scripted('[[call echo_text {"text":"a"}]]'))).body
  await waiting(scripts.someone, id)
  return id
}

/**
 * An agent that should have fired at each of the last two minutes, and the history of one of these fires when Temporal is
 * told to make up for them.
 */
async function firedTicks({ platform, someone }: Scripts, client: Client): Promise<Record<string, History>> {
  const { database, schedules, temporal } = platform.services
  const { id: agentId } = await scheduledAgent(someone, { cron: '* * * * *', systemPrompt: '[[sleep 5]]' })
  await schedules.settled()
  const last = Math.floor(Date.now() / 60_000) * 60_000
  const first = last - 60_000
  const state = { recordedUntil: new Date(first - 1000), nextFireAt: new Date(first) }
  await database('schedules').where({ agentId }).update(state)
  await temporal.schedules.backfill(agentId, new Date(first - 1000), new Date(last))
  const histories = [first, last].map(async (at) => {
    const workflowId = `${scheduleId(agentId)}-${new Date(at).toISOString().replace('.000', '')}`
    const { outcome } = await eventually(
      20,
      'the fire is on record',
      async () =>
        (await database('schedule_fires')
          .where({ agentId, nominalAt: new Date(at) })
          .first()) as { outcome: string } | undefined,
    )
    return [outcome, await closedHistory(client, workflowId)] as const
  })
  return Object.fromEntries(await Promise.all(histories))
}

/** Every shape that the workflows' histories can have, each provoked on the platform as a user or an operator would. */
export const scenarios: Record<string, (scripts: Scripts, client: Client) => Promise<History>> = {
  async 'run-completed-with-tools'({ follow }, client) {
    const { run } = await follow(
      '[[call echo_text {"text":"a"}]] [[call flaky_read {"failures":1}]] [[then]] [[call no_such_tool {}]] [[then]] [[say done]]',
    )
    return closedHistory(client, agentRunId(run.id))
  },

  async 'run-failed'({ follow }, client) {
    const { run } = await follow('[[call echo_text {"text":"a"}]] [[fail 400]]')
    return closedHistory(client, agentRunId(run.id))
  },

  async 'run-cancelled-in-model-call'({ scripted, someone }, client) {
    const { id } = (await start(someone, await scripted('[[sleep 60]]'))).body
    await happened(someone, id, 'step.started')
    await cancel(someone, id)
    return closedHistory(client, agentRunId(id))
  },

  async 'run-cancelled-in-tool-call'({ scripted, someone }, client) {
    const { id } = (await start(someone, await scripted('[[call hang {}]] [[call echo_text {"text":"a"}]]'))).body
    await happened(someone, id, 'tool.started')
    await cancel(someone, id)
    return closedHistory(client, agentRunId(id))
  },

  async 'run-that-waited-for-its-turn'({ follow }, client) {
    const { run } = await follow('[[call limit_first {"refusals":1,"seconds":2}]] [[call echo_text {"text":"a"}]]')
    return closedHistory(client, agentRunId(run.id))
  },

  async 'run-parked-and-resumed'(scripts, client) {
    const runId = await parkedRun(scripts)
    await replaceToken(scripts, 'good-token')
    await ended(scripts.someone, runId)
    return closedHistory(client, agentRunId(runId))
  },

  async 'run-cancelled-while-it-waited'(scripts, client) {
    const runId = await parkedRun(scripts)
    await cancel(scripts.someone, runId)
    return closedHistory(client, agentRunId(runId))
  },

  async 'run-continued-as-new'(scripts, client) {
    const { id, first, resume } = await continuedRun(scripts, client)
    await resume()
    await ended(scripts.someone, id)
    return withoutInput(await historyOf(client, agentRunId(id), first))
  },

  /** The execution after it. */
  async 'run-that-was-continued'(scripts, client) {
    const { id, resume } = await continuedRun(scripts, client)
    await resume()
    await ended(scripts.someone, id)
    return closedHistory(client, agentRunId(id))
  },

  async 'queue-with-several-runs'({ platform, someone }, client) {
    const agent = await webhookAgent(someone, { systemPrompt: '[[say done]]' })
    await Promise.all([1, 2, 3].map((number) => deliver(platform, agent, { number })))
    await allEnded(someone, agent, 30)
    // Within the time that the queue lingers.
    await deliver(platform, agent, { number: 4 })
    await allEnded(someone, agent, 30)
    return closedHistory(client, agentQueueId(agent.id))
  },

  async 'queue-with-a-terminated-run'({ platform, someone }, client) {
    const agent = await webhookAgent(someone, { systemPrompt: '[[sleep 60]]', allowActionOverride: true })
    const { runId } = (await deliver(platform, agent, { number: 1 })).body
    await deliver(platform, agent, { action: '[[say done]]' })
    await happened(someone, runId, 'step.started')
    await client.workflow.getHandle(agentRunId(runId)).terminate()
    await ended(someone, runId)
    return closedHistory(client, agentQueueId(agent.id))
  },

  async 'queue-with-a-run-cancelled-by-an-operator'({ platform, someone }, client) {
    const agent = await webhookAgent(someone, { systemPrompt: '[[sleep 60]]', allowActionOverride: true })
    const { runId } = (await deliver(platform, agent, { number: 1 })).body
    await deliver(platform, agent, { action: '[[say done]]' })
    await happened(someone, runId, 'step.started')
    await client.workflow.getHandle(agentRunId(runId)).cancel()
    await ended(someone, runId)
    return closedHistory(client, agentQueueId(agent.id))
  },

  'queue-woken-until-its-history-is-long': wakeUntilLong,

  'cron-tick-ran': async (scripts, client) => (await firedTicks(scripts, client))['ran']!,

  'cron-tick-skipped': async (scripts, client) => (await firedTicks(scripts, client))['skipped']!,

  'queue-woken-while-claiming': wakeWhileClaiming,
}
