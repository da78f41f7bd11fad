import type { Config } from '../../config/config.ts'
import type { Database } from '../../database/database.ts'
import { gather } from '../../database/gather.ts'
import { CodedError } from '../../errors.ts'
import { AgentQueue } from '../agent-queue.ts'

/** How full the queues of agents are, and whether they take more. */
export function createDepth({ database, config }: { database: Database; config: Pick<Config, 'queueDepth'> }) {
  const queueOf = gather<string, AgentQueue>(async (agentIds) => {
    const found = await AgentQueue.query(database).findByIds(agentIds)
    return new Map(found.map((queue) => [queue.agentId, queue]))
  })

  return {
    /** The unfinished runs of the agent. Accepting looks again, under the queue's lock. */
    depth: async (agentId: string): Promise<number> => (await queueOf(agentId))?.unfinished ?? 0,

    /** Refuses with RATE_LIMITED a queue that is as deep as it may be. */
    assertRoom(depth: number): void {
      if (depth >= config.queueDepth) throw queueFull(config.queueDepth)
    },
  }
}

/** RATE_LIMITED because the agent has as many unfinished runs as it may. */
export const queueFull = (depth: number): CodedError =>
  new CodedError('RATE_LIMITED', {
    message: `The agent has ${depth} unfinished runs, as many as its queue holds. Try again when some have ended.`,
    retryAfter: 60,
  })
