import { Agent } from '../agents/agent.ts'
import { agentPage, runPage } from '../console-pages.ts'
import type { Transaction } from '../database/database.ts'
import type { Notifications } from '../notifications/notifications.ts'
import { quotedName } from '../names.ts'
import { utc } from '../notifications/plain-text.ts'
import type { Run } from './run.ts'

/** The model's problem, and the hours after which a waiting run fails. */
interface Outage {
  trouble: { model: string; message: string; since: Date; outageId: string | null }
  hours: number
  now: Date
}

/** How long a model must fail one run alone before its owner is notified, in milliseconds. */
const longMs = 600_000

/** Notifies an owner, once per outage, that runs wait for a model. */
export async function notifyOutage(
  trx: Transaction,
  notifications: Notifications,
  { id, ownerId }: Pick<Run, 'id' | 'ownerId'>,
  { trouble: { model, message, since, outageId }, hours, now }: Outage,
): Promise<void> {
  if (outageId === null && now.getTime() - since.getTime() < longMs) return
  await notifications.notify(trx, {
    ownerId,
    kind: 'model_outage',
    subjectId: outageId ?? id,
    key: since.toISOString(),
    consolePage: runPage(id),
    title: `Runs are waiting for the AI model ${model}`,
    message:
      `The AI model ${model} has been unavailable since ${utc(since)}. ${message} Runs that need this model wait and resume ` +
      `automatically when the model is available again. Nothing is lost, and nothing is done twice. A run that has waited for ${Math.round(hours)} ` +
      `hours fails, and its agent and the agent's queue are paused. See GET /runs/${id}/why. You get one notification for each outage.`,
  })
}

/** Notifies an owner that an agent was paused because its run waited too long for its model. */
export async function notifyPaused(
  trx: Transaction,
  notifications: Notifications,
  { id, agentId, ownerId, sequence }: Pick<Run, 'id' | 'agentId' | 'ownerId' | 'sequence'>,
  error: string,
): Promise<void> {
  const { name } = await Agent.query(trx).findById(agentId).select('name').throwIfNotFound()
  await notifications.notify(trx, {
    ownerId,
    kind: 'agent_paused',
    subjectId: agentId,
    key: id,
    consolePage: agentPage(agentId),
    title: `An agent is paused: ${quotedName(name)}`,
    message: `Run ${sequence} of the agent ${quotedName(name)} failed. ${error} To resume the agent, use POST /agents/${agentId}/resume.`,
  })
}
