import { Client, Connection } from '@temporalio/client'
import type { ExecutionContext } from 'ava'
import * as vault from '../../api/vault.ts'
import { agentRunId } from '../../workflows/messages.ts'
import { call } from '../helpers/client.ts'
import { deliver, timelineOf, webhookAgent, type Person } from '../helpers/people.ts'
import { dataOf, waiting } from '../helpers/runs.ts'
import { temporalAddress } from '../helpers/temporal.ts'
import { connected, openStage } from './stage.ts'

const windowMs = 60_000

export interface Rush {
  /** Calls that the host takes in any 60 seconds. */
  limit: number
  /** How many calls the run of each agent makes, all in one step. */
  calls: [first: number, second: number]
  workers: number
  /** How many direct calls of their owner come before. */
  before?: number
}

/** A call as the site has seen it; `agent` is its index, and -1 for direct ones. */
export interface Arrival {
  at: number
  agent: number
  key: string | null
}

/** Each call is another one: identical ones in a row would end the run. */
export const callsOf = (agent: number, count: number): string =>
  Array.from({ length: count }, (_, n) => `[[call echo_text {"text":"${agent} ${n}"}]]`).join('')

/**
 * Two agents of one owner begin to call one host far more often than it may be called, over several worker processes;
 * the second one when all calls of the first one wait or were made.
 */
export async function rush(t: ExecutionContext, { limit, calls, workers, before = 0 }: Rush) {
  const env = { OUTGOING_PER_MINUTE: String(limit), RUN_TOOL_CALLS: '60' }
  const stage = await openStage(t, { sites: true, env })
  await Promise.all(Array.from({ length: workers }, () => stage.startWorker()))
  const { someone, vaultEntryId } = await connected(stage)
  const params = { entryId: vaultEntryId, toolName: 'echo_text' }
  for (let number = 0; number < before; number += 1) {
    await call(someone, vault.callTool, { params, body: { text: 'direct' } }).then((answer) => answer.body)
  }
  const ids: string[] = []
  for (const [index, count] of calls.entries()) {
    const agent = await webhookAgent(someone, { systemPrompt: callsOf(index, count), sites: [{ vaultEntryId }] })
    ids.push((await deliver(stage.platform, agent, {})).body.runId)
    if (before > 0) await waiting(someone, ids[index]!)
  }
  const arrivals = (): Arrival[] =>
    stage.sites.badTools.requests().map(({ at, idempotencyKey }) => ({
      at: Date.parse(at),
      agent: ids.findIndex((id) => idempotencyKey?.startsWith(`${id}:`)),
      key: idempotencyKey,
    }))
  return { someone, ids, arrivals, callers: () => callersOf(t, ids) }
}

/** The waits on the timeline of a run. */
export async function waitsOf(someone: Person, runId: string) {
  const timeline = await timelineOf(someone, runId)
  const ended = dataOf(timeline, 'wait.ended')
  return { started: dataOf(timeline, 'wait.started'), ended, ms: ended.reduce((sum, { ms }) => sum + Number(ms), 0) }
}

/** The most calls that the site saw in any 60 seconds. */
export const busiest = (arrivals: Arrival[]): number =>
  Math.max(...arrivals.map(({ at }) => arrivals.filter((other) => other.at >= at && other.at < at + windowMs).length))

/** How many calls of each agent came in each minute, counted from the first of them. */
export function minutesOf(arrivals: Arrival[]): [first: number, second: number][] {
  const calls = arrivals.filter(({ agent }) => agent >= 0)
  const began = Math.min(...calls.map(({ at }) => at))
  const minutes: [number, number][] = []
  for (const { at, agent } of calls) {
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
export async function callersOf(t: ExecutionContext, runIds: string[]): Promise<string[]> {
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
