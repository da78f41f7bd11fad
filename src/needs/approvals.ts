import { quotedName } from '../names.ts'
import type { Approval } from '../approvals/approval.ts'
import { decisionAdvice } from '../why/decision-advice.ts'
import { utcTime } from '../why/cause.ts'
import { needOf, type Need } from './need.ts'

/** A pending approval, with the run and the agent that requested it; null for a chat. */
export type PendingApproval = Pick<
  Approval,
  'id' | 'formNumber' | 'siteOrigin' | 'tool' | 'requestedAt' | 'expiresAt' | 'runId' | 'agentId'
> & { sequence: number | null; agentName: string | null }

/** The item of a pending approval. */
export function approvalNeed(approval: PendingApproval): Need {
  const { id, siteOrigin: site, tool, requestedAt: since, expiresAt: until, runId, agentId, agentName } = approval
  const wish = approval.formNumber > 0 ? 'needs input for its call of' : 'wants to call'
  const asker = agentName === null ? 'A chat' : `Run ${approval.sequence} of ${quotedName(agentName)}`
  return needOf({
    kind: 'approval',
    since,
    until,
    message: `${asker} ${wish} ${quotedName(tool)} at ${site}. At ${utcTime(until)}, it will continue without the call.`,
    action: decisionAdvice(approval),
    agentId,
    agentName,
    runId,
    approvalId: id,
    site,
    count: 1,
  })
}
