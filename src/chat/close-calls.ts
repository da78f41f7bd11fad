import { Approval } from '../approvals/approval.ts'
import type { Transaction } from '../database/database.ts'
import { unapprovedSentences } from '../models/prompt-format.ts'
import { ChatToolCall } from '../tools/tool-call.ts'

/** Why calls are no longer made: the user sent another message instead of approving them, or their answer ended. */
export type Unsent = 'replaced' | 'ended'

const neverSent = 'The call was not made because the answer ended first.'
const reasons: Record<Unsent, string> = { replaced: unapprovedSentences.withdrawn, ended: neverSent }

/** Ends the calls of an answer that were never sent, and withdraws their approval requests. */
export async function closeUnsent(trx: Transaction, answerId: string, now: Date, why: Unsent): Promise<void> {
  await Approval.query(trx).where({ answerId, status: 'pending' }).patch({ status: 'withdrawn', decidedAt: now })
  await ChatToolCall.query(trx)
    .where({ answerId, status: 'planned' })
    .patch({ status: 'failed', result: reasons[why], endedAt: now })
}

/** Ends all open calls of an answer. Those that were sent may have taken effect. */
export async function closeAll(trx: Transaction, answerId: string, now: Date): Promise<void> {
  await closeUnsent(trx, answerId, now, 'ended')
  await trx.raw(closeStartedStatement, { answerId, now, lost, refused })
}

const lost = 'The call was sent, but the chat answer ended before the outcome was recorded.'
const refused =
  'The site refused this call, and the answer ended before the call could be retried. The call had no effect.'

const closeStartedStatement = `
  update chat_tool_calls
     set status = (case when effect = 'read' or refused_attempts = attempts then 'failed' else 'unknown' end)::tool_call_status,
         result = case when refused_attempts = attempts then :refused else :lost end, ended_at = :now
   where answer_id = :answerId and status = 'started'`
