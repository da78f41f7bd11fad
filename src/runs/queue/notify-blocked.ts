import { Agent } from '../../agents/agent.ts'
import type { Transaction } from '../../database/database.ts'
import type { Notifications } from '../../notifications/notifications.ts'
import { tellingOfBlock, type Charge } from './blocked.ts'
import type { Run } from '../run.ts'

/** What of an agent waits for its owner to pay, and what comes of that. */
interface Block {
  agent: { id: string; ownerId: string }
  cause: Charge
  /** Which block or wait it is; an owner is told once of each. */
  key: string
  title: string
  /** What waits meanwhile, and how it goes on or ends. */
  consequence: string
}

/** Tells an owner that something of an agent waits for what has to be paid, in the caller's transaction. */
export async function tellBlocked(trx: Transaction, notifications: Notifications, block: Block): Promise<void> {
  const { agent, cause, key, title, consequence } = block
  const message = `${tellingOfBlock[cause]} ${consequence}`
  await notifications.tell(trx, {
    ownerId: agent.ownerId,
    kind: 'queue_blocked',
    subjectId: agent.id,
    key,
    title,
    message,
  })
}

/** Tells an owner that a run which has begun waits for credits: since when, and how long at most. */
export async function tellOutOfCredits(
  trx: Transaction,
  notifications: Notifications,
  { id, agentId, ownerId, sequence }: Pick<Run, 'id' | 'agentId' | 'ownerId' | 'sequence'>,
  { since, last }: { since: Date; last: Date },
): Promise<void> {
  const { name } = await Agent.query(trx).findById(agentId).select('name').throwIfNotFound()
  await tellBlocked(trx, notifications, {
    agent: { id: agentId, ownerId },
    cause: 'credits',
    key: `${id} ${since.toISOString()}`,
    title: `A run of ${name} waits`,
    consequence: `Run ${sequence} of the agent ${name} has begun and waits. It goes on where it is when there are credits again, and fails if there are none by ${utc(last)}. See GET /runs/${id}/why.`,
  })
}

const utc = (at: Date): string => `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`
