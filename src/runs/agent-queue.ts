import type { Transaction } from '../database/database.ts'
import { Row, rowOf, selecting } from '../database/row.ts'
import { statement } from '../database/statement.ts'

/**
 * Why a queue may not start its next run: a paused agent, a tier without the trigger, a past-due subscription, or no
 * credits.
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
  /** The execution of the queue's workflow that claimed the run, and the epoch it got; null if unclaimed. */
  declare claimedBy: string | null
  declare claimedEpoch: number | null
  /** Whether the queue's workflow was woken and no claim since then found nothing to do. */
  declare awake: boolean
  declare progressedAt: Date
  declare signalledAt: Date
  /** Why no queued run starts although none is running, and since when. */
  declare blockedCause: BlockedCause | null
  declare blockedSince: Date | null
}

/** Locks an agent's queue. Always taken before a run's lock, to avoid deadlocks. */
export async function lockQueue(trx: Transaction, agentId: string): Promise<AgentQueue> {
  const { rows } = await lockStatement(trx, { agentId })
  if (!rows[0]) throw new Error('the agent has no queue')
  return rowOf(AgentQueue, rows[0])
}

const fields = Object.keys({
  agentId: 0,
  lastSequence: 0,
  unfinished: 0,
  runningRunId: 0,
  claimedBy: 0,
  claimedEpoch: 0,
  awake: 0,
  progressedAt: 0,
  signalledAt: 0,
  blockedCause: 0,
  blockedSince: 0,
} satisfies Record<keyof Omit<AgentQueue, keyof Row>, 0>)

const lockStatement = statement<Omit<AgentQueue, keyof Row>>(`
  select ${selecting(fields, 'q')} from agent_queues q where q.agent_id = :agentId for update`)
