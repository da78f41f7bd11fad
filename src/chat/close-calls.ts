import { Approval } from '../approvals/approval.ts'
import type { Transaction } from '../database/database.ts'
import { unapprovedSentences } from '../models/prompt-format.ts'
import { ChatToolCall } from '../tools/tool-call.ts'

/** Ends the calls of an answer that were never sent. Nobody need decide about them any more. */
export async function closeUnsent(trx: Transaction, answerId: string, now: Date): Promise<void> {
  await Approval.query(trx).where({ answerId, status: 'pending' }).patch({ status: 'withdrawn', decidedAt: now })
  await ChatToolCall.query(trx)
    .where({ answerId, status: 'planned' })
    .patch({ status: 'failed', result: unapprovedSentences.withdrawn, endedAt: now })
}

/** Ends the calls whose outcome nobody will record any more. Those that were sent may have taken effect. */
export async function closeAll(trx: Transaction, answerId: string, now: Date): Promise<void> {
  await closeUnsent(trx, answerId, now)
  await trx.raw(closeStartedStatement, { answerId, now, result: lost })
}

const lost = 'The call was sent, but the answer that it belongs to ended before its outcome was recorded.'

const closeStartedStatement = `
  update chat_tool_calls
     set status = (case when effect = 'read' then 'failed' else 'unknown' end)::tool_call_status,
         result = :result, ended_at = :now
   where answer_id = :answerId and status = 'started'`
