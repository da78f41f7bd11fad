import { Agent } from '../agents/agent.ts'
import type { Transaction } from '../database/database.ts'
import type { Notifications } from '../notifications/notifications.ts'
import { Run } from '../runs/run.ts'
import type { Callback } from './callback.ts'

/** Tells an owner of a callback that was given up, once a day for each agent: a receiver that is away is away for all. */
export async function tellFailed(
  trx: Transaction,
  notifications: Notifications,
  { agentId, ownerId, runId }: Pick<Callback, 'agentId' | 'ownerId' | 'runId'>,
  { failure, now }: { failure: string; now: Date },
): Promise<void> {
  const { name } = await Agent.query(trx).findById(agentId).throwIfNotFound().select('name')
  const { sequence } = await Run.query(trx).findById(runId).throwIfNotFound().select('sequence')
  await notifications.tell(trx, {
    ownerId,
    kind: 'callback_failed',
    subjectId: agentId,
    key: now.toISOString().slice(0, 10),
    title: `A callback of ${name} was given up`,
    message: `The ending of run ${sequence} of the agent ${name} could not be posted to its callbackUrl. ${failure} See GET /runs/${runId}/callback; POST /runs/${runId}/callback/retry has it tried again. You are told of this once a day for each agent.`,
  })
}
