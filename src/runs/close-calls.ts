import type { Transaction } from '../database.ts'
import { ToolCall } from '../tools/tool-call.ts'
import { append } from './timeline.ts'

const neverSent = 'The run ended before this call was sent.'
const inFlight = 'The run ended while this call was under way; it may or may not have taken effect.'

/** Gives every call of a run that is ending an outcome, and its places at hosts to others. */
export async function closeCalls(trx: Transaction, runId: string, now: Date): Promise<void> {
  await trx.raw('delete from outgoing_waits where call_id in (select id from tool_calls where run_id = ?)', [runId])
  const open = await ToolCall.query(trx).where({ runId }).whereIn('status', ['planned', 'started']).forUpdate()
  for (const call of open) {
    const text = call.status === 'planned' ? neverSent : inFlight
    // A tool that only reads cannot have had an effect that anybody would have to look into.
    const status = call.status === 'planned' || call.effect === 'read' ? 'failed' : 'unknown'
    await ToolCall.query(trx).findById(call.id).patch({ status, result: { text }, endedAt: now })
    const data = { callId: call.id, attempts: call.attempts, status, note: text }
    await append(trx, runId, now, [{ kind: 'tool.finished', data }])
  }
}
