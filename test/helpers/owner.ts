import type { ExecutionContext } from 'ava'
import { startBadTools } from '../../examples/sites/bad-tools/server.ts'
import { temporaryCertificates } from './https-server.ts'
import { agentOf, connectBadTools, customer, deliver, ended, runOf, timelineOf, webhookAgent } from './people.ts'
import type { Platform } from './platform.ts'
import { dataOf, happened, start, waiting } from './runs.ts'

type AgentFields = NonNullable<Parameters<typeof agentOf>[1]>

/**
 * A tenant for one test: a customer of a shared platform, with the usual operations. Each site that it connects has
 * its own server, so that holds and limits of a host affect no other test.
 */
export async function newOwner(t: ExecutionContext, platform: Platform, tier = 'pro') {
  const person = await customer(platform, tier)

  /** Starts and connects a site whose tools misbehave on request. */
  async function site() {
    const started = await startBadTools({ port: 0, tls: await temporaryCertificates() })
    t.teardown(started.close)
    const vaultEntryId = await connectBadTools(person, { badTools: started })
    const sent = (runId: string) => started.requests().filter(({ idempotencyKey }) => idempotencyKey?.startsWith(runId))
    return { ...started, vaultEntryId, sent }
  }

  /** Has a new agent follow a script once (docs/how-to/demo-model.md) with these sites, and waits for the end. */
  async function follow(systemPrompt: string, ...sites: { vaultEntryId: string }[]) {
    const agent = await agentOf(person, { systemPrompt, sites: sites.map(({ vaultEntryId }) => ({ vaultEntryId })) })
    const { id } = (await start(person, agent)).body
    const run = await ended(person, id, 45)
    const timeline = await timelineOf(person, id)
    return { agent, run, timeline, outcomes: dataOf(timeline, 'tool.finished') }
  }

  return {
    ...person,
    site,
    follow,
    agent: (fields?: AgentFields) => agentOf(person, fields),
    webhookAgent: (fields?: AgentFields) => webhookAgent(person, fields),
    deliver: (agent: { id: string; webhookSecret: string }, payload: unknown, headers?: Record<string, string>) =>
      deliver(platform, agent, payload, headers),
    start: (agent: { id: string }) => start(person, agent),
    run: (runId: string) => runOf(person, runId),
    timeline: (runId: string) => timelineOf(person, runId),
    ended: (runId: string, seconds?: number) => ended(person, runId, seconds),
    waiting: (runId: string, seconds?: number) => waiting(person, runId, seconds),
    happened: (runId: string, kind: string, seconds?: number) => happened(person, runId, kind, seconds),
  }
}

export type Owner = Awaited<ReturnType<typeof newOwner>>
