import { withdrawApprovals, type Approval } from '../approvals/approval.ts'
import type { Approvals } from '../approvals/approvals.ts'
import type { Transaction } from '../database/database.ts'
import { ToolCall } from '../tools/tool-call.ts'
import { endingWith, type CallEnding } from './call-endings.ts'
import { asSeen } from './call-ledger.ts'

/** A run, or an answer of a chat. */
export interface Subject {
  kind: 'run' | 'answer'
  id: string
}

/** Which of the open calls are ended, and how: by default all, as their run or answer ends. */
interface Closing {
  statuses?: ToolCall['status'][]
  endingOf?: (call: ToolCall) => CallEnding
}

/**
 * Ends open calls of a run or an answer that is locked, frees their places at the hosts, and withdraws the requests for
 * their approval. Returns them as they are now.
 */
export async function closeCalls(
  trx: Transaction,
  { kind, id: subjectId }: Subject,
  now: Date,
  { statuses = ['planned', 'started'], endingOf = (call) => endingWith(kind, call) }: Closing = {},
): Promise<ToolCall[]> {
  const open = await ToolCall.query(trx).where({ subjectId }).whereIn('status', statuses).forUpdate()
  if (open.length === 0) return []
  await leave(
    trx,
    open.map(({ id }) => id),
  )
  await withdrawApprovals(trx, kind === 'run' ? { runId: subjectId } : { answerId: subjectId }, now)
  for (const call of open) {
    const { status, note: result } = endingOf(call)
    await call.$query(trx).patch({ status, result, endedAt: now })
  }
  return open
}

/**
 * Ends a call that is not sent, or not again, and frees its place at the host. Nobody need decide about it. Returns
 * the call as it is now if it was as it was seen, and the request for its approval if that has expired.
 */
export async function endCall(
  trx: Transaction,
  approvals: Pick<Approvals, 'expire'>,
  call: ToolCall,
  ending: CallEnding,
  now: Date,
): Promise<{ ended?: ToolCall; expired?: Approval | undefined }> {
  const { id, asksFirst } = call
  const changes = { status: ending.status, result: ending.note, endedAt: now }
  if ((await asSeen(trx, call).patch(changes)) === 0) return {}
  const ended = Object.assign(call.$clone(), changes)
  await leave(trx, [id])
  if (!asksFirst) return { ended }
  const expired = await approvals.expire(trx, id)
  await withdrawApprovals(trx, { callId: id }, now)
  return { ended, expired }
}

const leave = (trx: Transaction, ids: string[]) =>
  trx.raw('delete from outgoing_waits where call_id = any(:ids::uuid[])', { ids })
