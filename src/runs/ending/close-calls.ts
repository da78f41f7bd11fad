import type { Approvals } from '../../approvals/approvals.ts'
import type { Transaction } from '../../database/database.ts'
import { endingWith } from '../../loop/call-endings.ts'
import { ToolCall } from '../../tools/tool-call.ts'
import { append } from '../timeline.ts'

/** Gives each open call of an ending run an outcome, frees its host slots and withdraws its approval requests. */
export async function closeCalls(
  trx: Transaction,
  approvals: Pick<Approvals, 'withdraw'>,
  runId: string,
  now: Date,
): Promise<void> {
  await trx.raw(leaveStatement, { runId })
  const open = await ToolCall.query(trx)
    .where({ subjectId: runId })
    .whereIn('status', ['planned', 'started'])
    .forUpdate()
  if (open.length > 0) await approvals.withdraw(trx, { runId })
  for (const call of open) {
    const { status, note } = endingWith('run', call)
    await call.$query(trx).patch({ status, result: note, endedAt: now })
    const data = { callId: call.id, attempts: call.attempts, status, note }
    await append(trx, runId, now, [{ kind: 'tool.finished', data }])
  }
}

const leaveStatement =
  'delete from outgoing_waits where call_id in (select id from tool_calls where subject_id = :runId)'
