import type { Approvals } from '../../approvals/approvals.ts'
import type { Transaction } from '../../database/database.ts'
import { ToolCall } from '../../tools/tool-call.ts'
import { append } from '../timeline.ts'

const neverSent = 'The run ended before this call was sent.'
const didNothing = 'The run ended before this call was retried. Its earlier attempts had no effect.'
const oneInDoubt = 'The run ended before this call was retried. An earlier attempt may or may not have taken effect.'
const inFlight = 'The run ended while this call was in progress. The call may or may not have taken effect.'

/** Gives each open call of an ending run an outcome, frees its host slots and withdraws its approval requests. */
export async function closeCalls(
  trx: Transaction,
  approvals: Pick<Approvals, 'withdraw'>,
  runId: string,
  now: Date,
): Promise<void> {
  await trx.raw(leaveStatement, { runId })
  const open = await ToolCall.query(trx).where({ runId }).whereIn('status', ['planned', 'started']).forUpdate()
  if (open.length > 0) await approvals.withdraw(trx, { runId })
  for (const call of open) {
    const text = textOf(call)
    // A read-only tool has no effect that could be in doubt.
    const isInDoubt = (call.status === 'started' || call.inDoubt) && call.effect !== 'read'
    const status = isInDoubt ? 'unknown' : 'failed'
    await call.$query(trx).patch({ status, result: text, endedAt: now })
    const data = { callId: call.id, attempts: call.attempts, status, note: text }
    await append(trx, runId, now, [{ kind: 'tool.finished', data }])
  }
}

/** Calls return to `planned` if their site refused them (401, 429) or was not reached. */
function textOf({ status, attempts, inDoubt }: ToolCall): string {
  if (status === 'started') return inFlight
  if (inDoubt) return oneInDoubt
  return attempts > 0 ? didNothing : neverSent
}

const leaveStatement =
  'delete from outgoing_waits where call_id in (select id from run_tool_calls where run_id = :runId)'
