import { Agent } from '../agents/agent.ts'
import { runPage } from '../console-pages.ts'
import type { Transaction } from '../database/database.ts'
import type { Notifications } from '../notifications/notifications.ts'
import { Run } from '../runs/run.ts'
import { isOfRun, type Subject } from './callback.ts'
import { quotedName } from '../names.ts'

/**
 * Notifies an owner of a given-up callback, once a day per agent: a receiver that is down fails all callbacks. One that
 * posts a notification causes none, which would have to be posted in turn.
 */
export async function notifyFailed(
  trx: Transaction,
  notifications: Notifications,
  callback: Subject,
  { failure, now }: { failure: string; now: Date },
): Promise<void> {
  if (!isOfRun(callback)) return
  const { agentId, ownerId, runId } = callback
  const { name } = await Agent.query(trx).findById(agentId).throwIfNotFound().select('name')
  const { sequence } = await Run.query(trx).findById(runId).throwIfNotFound().select('sequence')
  await notifications.notify(trx, {
    ownerId,
    kind: 'callback_failed',
    subjectId: agentId,
    key: now.toISOString().slice(0, 10),
    consolePage: runPage(runId),
    title: `A callback could not be delivered: agent ${quotedName(name)}`,
    message: `The result of run ${sequence} of the agent ${quotedName(name)} could not be delivered to its callbackUrl. ${failure} To see the attempts, use GET /runs/${runId}/callback. To retry, use POST /runs/${runId}/callback/retry. You get this notification at most once a day for each agent.`,
  })
}
