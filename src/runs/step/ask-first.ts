import { Agent } from '../../agents/agent.ts'
import type { Approvals, CallToApprove } from '../../approvals/approvals.ts'
import type { Transaction } from '../../database/database.ts'
import { quotedName } from '../../names.ts'
import type { Run } from '../run.ts'
import type { NewEvent } from '../timeline.ts'

/** Asks the owner of a run to approve calls of its step, with the step: so nobody is asked twice. Returns the events. */
export async function askFirst(
  trx: Transaction,
  approvals: Pick<Approvals, 'request'>,
  { id: runId, agentId, ownerId, sequence }: Run,
  calls: CallToApprove[],
  expiresAt: Date,
): Promise<NewEvent[]> {
  if (calls.length === 0) return []
  const agent = await Agent.query(trx).findById(agentId).select('name').throwIfNotFound()
  const asker = `Run ${sequence} of the agent ${quotedName(agent.name)}`
  const asked = await approvals.request(trx, { ownerId, of: { runId, agentId }, asker, calls, expiresAt })
  return asked.map(({ id: approvalId, callId }) => ({
    kind: 'approval.requested',
    data: { callId, approvalId, expiresAt: expiresAt.toISOString() },
  }))
}
