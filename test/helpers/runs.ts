import type { Clock } from '../../src/clock.ts'
import type { ExecutionContext } from 'ava'
import type { ClaimedRun } from '../../workflows/messages.ts'
import * as agentRuns from '../../api/agent-runs.ts'
import * as runs from '../../api/runs.ts'
import type { listedRun } from '../../api/schemas/run-schema.ts'
import { startBadTools } from '../../examples/sites/bad-tools/server.ts'
import { buildPrompt } from '../../src/loop/run-prompt.ts'
import { maxResultBytes } from '../../src/models/prompt.ts'
import { Run } from '../../src/runs/run.ts'
import { createReadTranscript } from '../../src/runs/step/transcript.ts'
import { call } from './client.ts'
import { eventually } from './eventually.ts'
import { temporaryCertificates } from './https-server.ts'
import { agentOf, connectBadTools, customer, ended, runOf, timelineOf, type Person } from './people.ts'
import { startPlatform, type Platform } from './platform.ts'
import { startSites, type Sites } from './sites.ts'

type ListedRun = Awaited<ReturnType<typeof call<'', undefined, undefined, typeof listedRun>>>['body']

export type Events = Awaited<ReturnType<typeof timelineOf>>

/** Requests a manual run of the agent. The response may be a failure. */
export const start = (someone: Person, agent: { id: string }) =>
  call(someone, agentRuns.startRun, { params: { agentId: agent.id } })

/** Requests to cancel a run. The response may be a failure. */
export const cancel = (someone: Person, runId: string) => call(someone, runs.cancelRun, { params: { runId } })

export async function runsOf(someone: Person, agent: { id: string }): Promise<ListedRun[]> {
  const found: ListedRun[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const query = { limit: '100', ...(cursor !== undefined && { cursor }) }
    const { body } = await call(someone, agentRuns.listAgentRuns, { params: { agentId: agent.id }, query })
    found.push(...body.items)
    cursor = body.nextCursor
  }
  return found.toSorted((one, other) => one.sequence - other.sequence)
}

/** Waits until every run of an agent has ended, and returns them, oldest first. */
export const allEnded = (someone: Person, agent: { id: string }, seconds: number) =>
  eventually(seconds, `the runs of ${agent.id} end`, async () => {
    const all = await runsOf(someone, agent)
    return all.every(({ endedAt }) => endedAt !== null) ? all : undefined
  })

/** Waits until the run's timeline has an event of this kind, and returns that event. */
export const happened = (someone: Person, runId: string, kind: string, seconds = 45) =>
  eventually(seconds, `${kind} happens to the run ${runId}`, async () =>
    (await timelineOf(someone, runId)).find((event) => event.kind === kind),
  )

export const waiting = (someone: Person, runId: string, seconds = 45) =>
  eventually(seconds, `the run ${runId} waits`, async () => {
    const run = await runOf(someone, runId)
    return run.status === 'waiting' ? run : undefined
  })

export const dataOf = (events: Events, kind: string): Record<string, unknown>[] =>
  events.filter((event) => event.kind === kind).map(({ data }) => data)

/** Spends the credits of a run's owner except for this many, as steps of the run would. */
export async function spendAllBut({ services }: Platform, runId: string, left: number): Promise<void> {
  await services.database.transaction(async (trx) => {
    const { ownerId } = (await trx('runs').where({ id: runId }).first('ownerId')) as { ownerId: string }
    const { balance } = await services.billing.account(ownerId, trx)
    await services.billing.credits.chargeStep(trx, {
      ownerId,
      runId,
      step: 1_000_000,
      credits: balance - left,
      tokens: 0,
    })
  })
}

export interface StageOptions {
  env?: Record<string, string>
  /** Whether a worker runs the agents. */
  worker?: boolean
  /** The number of spare bad-tools sites, for tests that must not share a host. */
  spare?: number
  /** More addresses that the platform may reach, in the format of SITE_ALLOW. */
  allow?: string[]
  clock?: Clock
}

/** A platform that may reach the example sites. With `forWholeFile`, all tests of a file share it. */
export async function openStage(
  t: ExecutionContext,
  { env = {}, worker = true, spare = 0, allow: more = [], clock }: StageOptions = {},
) {
  const sites = await startSites(t)
  const tls = await temporaryCertificates()
  const spares = await Promise.all(Array.from({ length: spare }, () => startBadTools({ port: 0, tls })))
  for (const { close } of spares) t.teardown(close)
  const allow = [...sites.allow, ...more, ...spares.map(({ origin }) => new URL(origin).host)]
  const platform = await startPlatform(t, { sites: { ...sites, allow }, worker, env, ...(clock && { clock }) })
  return { sites, platform, spares }
}

export type Stage = Awaited<ReturnType<typeof openStage>>

/** A platform with a worker, a user who has connected the bad-tools site, and functions that run scripts. */
export const openScripts = async (t: ExecutionContext, env: Record<string, string> = {}) =>
  scriptsOn(await openStage(t, { env }))

/** The same on an existing stage with a new user. The bad-tools site may be a spare one. */
export async function scriptsOn(stage: Stage, badTools = stage.sites.badTools) {
  const { platform } = stage
  const sites = { ...stage.sites, badTools }
  const someone = await customer(platform)
  const vaultEntryId = await connectBadTools(someone, sites)

  /** An agent that follows the script and may use every tool of the site. */
  const scripted = (systemPrompt: string) => agentOf(someone, { systemPrompt, sites: [{ vaultEntryId }] })

  /** Runs the script once with a new agent, and waits for the end. */
  async function follow(script: string) {
    const agent = await scripted(script)
    const { id } = (await start(someone, agent)).body
    const run = await ended(someone, id, 45)
    const timeline = await timelineOf(someone, id)
    return { agent, run, timeline, sent: sent(id), outcomes: dataOf(timeline, 'tool.finished') }
  }

  const sent = (runId: string) => badTools.requests().filter(({ idempotencyKey }) => idempotencyKey?.startsWith(runId))
  return { sites, platform, someone, vaultEntryId, scripted, follow, sent }
}

export type Scripts = Awaited<ReturnType<typeof scriptsOn>>

/** The same on a shared platform, with a bad-tools site for this test alone. */
export async function ownScripts(t: ExecutionContext, platform: Platform) {
  const badTools = await startBadTools({ port: 0, tls: await temporaryCertificates() })
  t.teardown(badTools.close)
  return scriptsOn({ platform, sites: { badTools } as Sites, spares: [] }, badTools)
}

/** Claims the agent's next run, and returns the first message that the model gets. */
export async function firstMessage({ database, runs }: Platform['services'], agent: { id: string }): Promise<string> {
  const claimed = await runs.queue.claimNext(agent.id)
  const run = await Run.query(database)
    .findById(claimed?.runId ?? '')
    .throwIfNotFound()
  const transcript = await createReadTranscript({ database })(run, maxResultBytes)
  const prompt = buildPrompt(transcript, { by: 'demo', textArguments: false })
  const first = prompt.find(({ role }) => role === 'user')
  const [part] = first?.role === 'user' ? first.content : []
  if (part?.type !== 'text') throw new Error('the first message is no text')
  return part.text
}

/** Backdates the agent's progress by an hour, so that it counts as stalled. */
export async function stall({ database }: Platform['services'], agentId: string): Promise<void> {
  const progressedAt = new Date(Date.now() - 3_600_000)
  await database('agent_queues').where({ agentId }).update({ progressedAt })
  await database('runs').where({ agentId }).whereIn('status', ['running', 'waiting']).update({ progressedAt })
}

/**
 * Fences off the execution of the agent's run, as the reconciler does, and claims the run again under the next epoch.
 */
export async function takeUpAgain(services: Platform['services'], { runId, agentId, epoch }: ClaimedRun) {
  await eventually(20, 'another epoch has begun', async () => {
    await stall(services, agentId)
    await services.runs.reconciler.reconcileNow(agentId)
    const { epoch: present } = (await services.database('runs').where({ id: runId }).first('epoch')) as {
      epoch: number
    }
    return present > epoch || undefined
  })
  await services.runs.queue.claimNext(agentId)
}
