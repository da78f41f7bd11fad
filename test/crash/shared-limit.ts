import { Client, Connection } from '@temporalio/client'
import type { ExecutionContext } from 'ava'
import { agentRunId } from '../../workflows/messages.ts'
import { connectBadTools, customer, deliver, ended, timelineOf, webhookAgent } from '../helpers/people.ts'
import { dataOf } from '../helpers/runs.ts'
import { temporalAddress } from '../helpers/temporal.ts'
import { measured } from './record.ts'
import { openStage } from './stage.ts'

const windowMs = 60_000

export interface Rush {
  /** Calls that the host takes in any 60 seconds. */
  limit: number
  /** How many calls the run of each agent makes, all in one step. */
  callsPerAgent: number
  workers: number
  /** How long the runs may take, in seconds. */
  patience: number
}

/** A call as the site has seen it; `agent` is its index. */
export interface Arrival {
  at: number
  agent: number
}

/** Each call is another one: identical ones in a row would end the run. */
const callsOf = (agent: number, count: number): string =>
  Array.from({ length: count }, (_, n) => `[[call echo_text {"text":"${agent} ${n}"}]]`).join('')

/**
 * Two agents of one owner call one host far more often than it may be called, over several worker processes. Says when
 * the site saw what, how the runs went, and which worker processes made calls.
 */
export async function rush(t: ExecutionContext, { limit, callsPerAgent, workers, patience }: Rush) {
  const env = { OUTGOING_PER_MINUTE: String(limit), RUN_TOOL_CALLS: String(callsPerAgent) }
  const stage = await openStage(t, { sites: true, env })
  await Promise.all(Array.from({ length: workers }, () => stage.startWorker()))
  const someone = await customer(stage.platform)
  const sites = [{ vaultEntryId: await connectBadTools(someone, stage.sites) }]
  const agents = await Promise.all(
    [0, 1].map((agent) => webhookAgent(someone, { systemPrompt: callsOf(agent, callsPerAgent), sites })),
  )
  const began = Date.now()
  const receipts = await Promise.all(agents.map((agent) => deliver(stage.platform, agent, {})))
  const ids = receipts.map(({ body }) => body.runId)
  const runs = await Promise.all(ids.map((id) => ended(someone, id, patience)))
  measured(t, `${Math.round((Date.now() - began) / 1000)} s for ${2 * callsPerAgent} calls`)

  const requests = stage.sites.badTools.requests()
  const arrivals: Arrival[] = requests.map(({ at, idempotencyKey }) => ({
    at: Date.parse(at),
    agent: ids.findIndex((id) => idempotencyKey?.startsWith(`${id}:`)),
  }))
  const timelines = await Promise.all(ids.map((id) => timelineOf(someone, id)))
  const waits = timelines.map((timeline) => ({
    started: dataOf(timeline, 'wait.started'),
    ended: dataOf(timeline, 'wait.ended'),
  }))
  const keys = requests.map(({ idempotencyKey }) => idempotencyKey)
  return { stage, someone, runs, arrivals, keys, waits, callers: await callersOf(t, ids) }
}

/** The most calls that the site saw in any 60 seconds. */
export const busiest = (arrivals: Arrival[]): number =>
  Math.max(...arrivals.map(({ at }) => arrivals.filter((other) => other.at >= at && other.at < at + windowMs).length))

/** How many calls of each agent came in each minute, counted from the first call. */
export function minutesOf(arrivals: Arrival[]): [first: number, second: number][] {
  const began = Math.min(...arrivals.map(({ at }) => at))
  const minutes: [number, number][] = []
  for (const { at, agent } of arrivals) {
    const minute = Math.floor((at - began) / windowMs)
    while (minutes.length <= minute) minutes.push([0, 0])
    minutes[minute]![agent as 0 | 1] += 1
  }
  return minutes
}

/** By how many calls one agent was ahead of the other at most, while both had calls to make. */
export function lead(arrivals: Arrival[], callsPerAgent: number): number {
  const made = [0, 0]
  let most = 0
  for (const { agent } of arrivals.toSorted((one, other) => one.at - other.at)) {
    made[agent]! += 1
    if (made.every((count) => count < callsPerAgent)) most = Math.max(most, Math.abs(made[0]! - made[1]!))
  }
  return most
}

/** The processes that made tool calls for the runs, by what Temporal knows of who took each. */
async function callersOf(t: ExecutionContext, runIds: string[]): Promise<string[]> {
  const connection = await Connection.connect({ address: temporalAddress() })
  t.teardown(() => connection.close())
  const client = new Client({ connection })
  const identities = new Set<string>()
  for (const runId of runIds) {
    const { events } = await client.workflow.getHandle(agentRunId(runId)).fetchHistory()
    const calls = new Set(
      events?.flatMap(({ eventId, activityTaskScheduledEventAttributes: scheduled }) =>
        scheduled?.activityType?.name === 'callTool' ? [String(eventId)] : [],
      ),
    )
    for (const { activityTaskStartedEventAttributes: started } of events ?? []) {
      if (started && calls.has(String(started.scheduledEventId))) identities.add(started.identity ?? '')
    }
  }
  return [...identities]
}
