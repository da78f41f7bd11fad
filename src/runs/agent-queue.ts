import type { Transaction } from '../database/database.ts'
import { Row } from '../database/row.ts'

/**
 * What keeps a queue from starting its next run: its owner has paused the agent, has a tier without webhooks, a
 * subscription that is not paid, or no credits.
 */
export type BlockedCause = 'paused' | 'tier' | 'past_due' | 'credits'

/** The queue of one agent (table `agent_queues`). */
export class AgentQueue extends Row {
  static override tableName = 'agent_queues'
  static override idColumn = 'agentId'
  declare agentId: string
  declare lastSequence: number
  declare unfinished: number
  declare runningRunId: string | null
  /** The execution of the queue's workflow that has claimed that run, and the epoch that it was given; null where none has. */
  declare claimedBy: string | null
  declare claimedEpoch: number | null
  /** Whether the queue workflow has been told that there is something to do, and has not yet found nothing. */
  declare awake: boolean
  declare progressedAt: Date
  declare signalledAt: Date
  /** Why queued runs are not started although none is running, and since when. */
  declare blockedCause: BlockedCause | null
  declare blockedSince: Date | null
}

/** Locks an agent's queue. Always taken before the lock of one of its runs, so that no two wait for each other. */
export async function lockQueue(trx: Transaction, agentId: string): Promise<AgentQueue> {
  return AgentQueue.query(trx).findById(agentId).forUpdate().throwIfNotFound()
}
