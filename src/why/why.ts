import type { Agent } from '../agents/agent.ts'
import type { Billing } from '../billing/billing.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import type { ReachabilityOfTemporal } from '../temporal/reachability.ts'
import type { Run } from '../runs/run.ts'
import type { Workers } from '../temporal/workers.ts'
import type { Why } from './cause.ts'
import { explain } from './explain.ts'
import type { Settings } from './facts.ts'
import { readFacts, type Knowledge } from './read-facts.ts'

/** Reads everything as of one moment. */
const snapshot = { isolationLevel: 'repeatable read', readOnly: true } as const

/**
 * Answers why an agent or a run is in its current state, from the record and from whether Temporal and workers are up.
 * Takes at most two seconds while Temporal is away.
 */
export function createWhy(
  context: Knowledge & {
    database: Database
    config: Config
    billing: Billing
    reachability: Pick<ReachabilityOfTemporal, 'look'>
    workers: Workers
  },
) {
  const { database, config, billing, reachability, workers } = context
  const settings = settingsOf(config)

  async function record(about: { agentId: string; runId?: string }, ownerId: string) {
    // The first read in a month grants the month's credits, which is a write.
    await billing.account(ownerId)
    return database.transaction((trx) => readFacts(trx, context, about), snapshot)
  }

  async function answer(about: { agentId: string; runId?: string }, ownerId: string): Promise<Why> {
    const [recorded, temporal, presence] = await Promise.all([
      record(about, ownerId),
      reachability.look(),
      workers.presence(),
    ])
    return explain({ ...recorded, temporal, workers: presence, settings })
  }

  return {
    /** What the agent does, or why it does nothing. */
    ofAgent: ({ id, ownerId }: Pick<Agent, 'id' | 'ownerId'>): Promise<Why> => answer({ agentId: id }, ownerId),

    /** What the run does, what it waits for, or how it ended. */
    ofRun: ({ id, agentId, ownerId }: Pick<Run, 'id' | 'agentId' | 'ownerId'>): Promise<Why> =>
      answer({ agentId, runId: id }, ownerId),
  }
}

const settingsOf = (config: Config): Settings => ({
  callsPerMinute: config.sites.callsPerMinute,
  cancelSeconds: config.cancelSeconds,
  queueBlockedSeconds: config.queueBlockedSeconds,
  reconcileSeconds: config.reconcile.everySeconds,
  stallSeconds: config.reconcile.stallSeconds,
})
