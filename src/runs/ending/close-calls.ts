import type { Transaction } from '../../database/database.ts'
import { ToolCall } from '../../tools/tool-call.ts'
import { append } from '../timeline.ts'

const neverSent = 'The run ended before this call was sent.'
const didNothing = 'The run ended before this call was tried again; what was tried before certainly did nothing.'
const oneInDoubt = 'The run ended before this call was tried again; an attempt before may or may not have taken effect.'
const inFlight = 'The run ended while this call was under way; it may or may not have taken effect.'

/** Gives every call of a run that is ending an outcome, and its places at hosts to others. */
export async function closeCalls(trx: Transaction, runId: string, now: Date): Promise<void> {
  await trx.raw(leaveStatement, { runId })
  const open = await ToolCall.query(trx).where({ runId }).whereIn('status', ['planned', 'started']).forUpdate()
  for (const call of open) {
    const text = textOf(call)
    // A tool that only reads cannot have had an effect that anybody would have to look into.
    const isInDoubt = (call.status === 'started' || call.inDoubt) && call.effect !== 'read'
    const status = isInDoubt ? 'unknown' : 'failed'
    await ToolCall.query(trx).findById(call.id).patch({ status, result: { text }, endedAt: now })
    const data = { callId: call.id, attempts: call.attempts, status, note: text }
    await append(trx, runId, now, [{ kind: 'tool.finished', data }])
  }
}

/** A call is planned again when its site has refused it (401, 429), or when it did not get as far as the site. */
function textOf({ status, attempts, inDoubt }: ToolCall): string {
  if (status === 'started') return inFlight
  if (inDoubt) return oneInDoubt
  return attempts > 0 ? didNothing : neverSent
}

const leaveStatement = 'delete from outgoing_waits where call_id in (select id from tool_calls where run_id = :runId)'
