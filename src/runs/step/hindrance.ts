import type { Approvals } from '../../approvals/approvals.ts'
import type { Database, Transaction } from '../../database/database.ts'
import type { ToolCall } from '../../tools/tool-call.ts'
import { byApproval, endingIfLost, endingWithout, type Hindrance } from './call-ending.ts'
import { permissionOf } from './permission.ts'

/**
 * Looks at what has become of the last attempt, at what the agent may do and, if somebody was asked to approve the call,
 * at the answer.
 */
export async function hindranceOf(
  db: Database | Transaction,
  call: ToolCall,
  { approvals, now }: { approvals: Pick<Approvals, 'ofCall'>; now: Date },
): Promise<Hindrance | undefined> {
  const lost = endingIfLost(call)
  if (lost) return lost
  const permission = await permissionOf(db, call)
  const ending = endingWithout(permission, call)
  if (ending || !permission.asked) return ending
  return byApproval(await approvals.ofCall(db, call.id), call, { gone: permission.gone, now })
}
