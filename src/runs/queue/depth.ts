import type { Config } from '../../config/config.ts'
import type { Database } from '../../database/database.ts'
import { batchLookups } from '../../database/batch-lookups.ts'
import { CodedError } from '../../errors.ts'
import { AgentQueue } from '../agent-queue.ts'

/** Measures an agent's queue and checks its limit. */
export function createDepth({ database, config }: { database: Database; config: Pick<Config, 'queueDepth'> }) {
  const queueOf = batchLookups<string, AgentQueue>(async (agentIds) => {
    const found = await AgentQueue.query(database).findByIds(agentIds)
    return new Map(found.map((queue) => [queue.agentId, queue]))
  })

  return {
    /** Counts the agent's unfinished runs. Accepting counts again under the queue's lock. */
    depth: async (agentId: string): Promise<number> => (await queueOf(agentId))?.unfinished ?? 0,

    /** Throws RATE_LIMITED if the queue is full. */
    assertRoom(depth: number): void {
      if (depth >= config.queueDepth) throw queueFull(config.queueDepth)
    },
  }
}

/** RATE_LIMITED for a full queue. */
export const queueFull = (depth: number): CodedError =>
  new CodedError('RATE_LIMITED', {
    message: `The agent's queue is full (${depth} unfinished runs). Try again after some of them have ended.`,
    retryAfter: 60,
  })
