import { Approval } from '../approvals/approval.ts'
import type { Transaction } from '../database/database.ts'
import { endingWith, replaced } from '../loop/call-endings.ts'
import { ToolCall } from '../tools/tool-call.ts'

/** Why calls are no longer made: the user sent another message instead of approving them, or their answer ended. */
export type Unsent = 'replaced' | 'ended'

/** Ends the calls of an answer that were never sent, and withdraws their approval requests. */
export const closeUnsent = (trx: Transaction, answerId: string, now: Date, why: Unsent): Promise<void> =>
  close(trx, { answerId, statuses: ['planned'], why }, now)

/** Ends all open calls of an answer. Those that were sent may have taken effect. */
export const closeAll = (trx: Transaction, answerId: string, now: Date): Promise<void> =>
  close(trx, { answerId, statuses: ['planned', 'started'], why: 'ended' }, now)

interface Which {
  answerId: string
  statuses: ToolCall['status'][]
  why: Unsent
}

async function close(trx: Transaction, { answerId, statuses, why }: Which, now: Date): Promise<void> {
  await Approval.query(trx).where({ answerId, status: 'pending' }).patch({ status: 'withdrawn', decidedAt: now })
  const open = await ToolCall.query(trx).where({ subjectId: answerId }).whereIn('status', statuses).forUpdate()
  for (const call of open) {
    const { status, note: result } = why === 'replaced' ? replaced : endingWith('answer', call)
    await call.$query(trx).patch({ status, result, endedAt: now })
  }
}
