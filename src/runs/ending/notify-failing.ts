import { Agent } from '../../agents/agent.ts'
import { runPage } from '../../console-pages.ts'
import type { Transaction } from '../../database/database.ts'
import type { Notifications } from '../../notifications/notifications.ts'
import { Run } from '../run.ts'
import { quotedName } from '../../names.ts'

/** Notifies an owner of an agent's first failed run, and again only after a run has completed. */
export async function notifyFailing(
  trx: Transaction,
  notifications: Notifications,
  run: Pick<Run, 'id' | 'agentId' | 'ownerId' | 'sequence'>,
  error: string,
): Promise<void> {
  const before = await Run.query(trx)
    // Runs from before a move belong to another owner.
    .where({ agentId: run.agentId, ownerId: run.ownerId })
    .where('sequence', '<', run.sequence)
    .whereIn('status', ['completed', 'failed'])
    .orderBy('sequence', 'desc')
    .first()
    .select('status')
  if (before?.status === 'failed') return
  const agent = await Agent.query(trx).findById(run.agentId).select('name').throwIfNotFound()
  await notifications.notify(trx, {
    ownerId: run.ownerId,
    kind: 'agent_failing',
    subjectId: run.agentId,
    key: run.id,
    consolePage: runPage(run.id),
    title: `A run failed: agent ${quotedName(agent.name)}`,
    message: `Run ${run.sequence} of the agent ${quotedName(agent.name)} failed. ${error} See GET /runs/${run.id}/events. You will not be notified of further failures until a run of this agent completes.`,
  })
}
