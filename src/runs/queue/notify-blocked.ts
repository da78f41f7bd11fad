import { Agent } from '../../agents/agent.ts'
import type { CapOf } from '../../billing/account-status.ts'
import { runPage } from '../../console-pages.ts'
import type { Transaction } from '../../database/database.ts'
import type { Notifications } from '../../notifications/notifications.ts'
import { messageOfBlock, type Charge } from './blocked.ts'
import type { Run } from '../run.ts'
import { quotedName } from '../../names.ts'
import { utc } from '../../notifications/plain-text.ts'

/** What waits for a payment, and the consequences. */
interface Block {
  agent: { id: string; ownerId: string }
  cause: Charge
  /** The used-up cap; null if it is the balance. */
  cap: CapOf | null
  /** Identifies the block or wait. The owner is notified once per key. */
  key: string
  consolePage: string
  title: string
  /** What waits, and how it continues or ends. */
  consequence: string
}

/** Notifies an owner that something waits for a payment, in the caller's transaction. */
export async function notifyBlocked(trx: Transaction, notifications: Notifications, block: Block): Promise<void> {
  const { agent, cause, cap, consequence, ...said } = block
  const message = `${messageOfBlock(cause, cap)} ${consequence}`
  await notifications.notify(trx, {
    ownerId: agent.ownerId,
    kind: 'queue_blocked',
    subjectId: agent.id,
    ...said,
    message,
  })
}

/** Notifies an owner that a begun run waits for credits, with its start and deadline. */
export async function notifyOutOfCredits(
  trx: Transaction,
  notifications: Notifications,
  { id, agentId, ownerId, sequence }: Pick<Run, 'id' | 'agentId' | 'ownerId' | 'sequence'>,
  { since, last, cap }: { since: Date; last: Date; cap: CapOf | null },
): Promise<void> {
  const { name } = await Agent.query(trx).findById(agentId).select('name').throwIfNotFound()
  await notifyBlocked(trx, notifications, {
    agent: { id: agentId, ownerId },
    cause: 'credits',
    cap,
    key: `${id} ${since.toISOString()}`,
    consolePage: runPage(id),
    title: `A run is waiting: agent ${quotedName(name)}`,
    consequence: `Run ${sequence} of the agent ${quotedName(name)} has started and is waiting. It will resume automatically when credits are available, and fail if none are available by ${utc(last)}. See GET /runs/${id}/why.`,
  })
}
