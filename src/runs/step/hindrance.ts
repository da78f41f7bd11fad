import type { Approvals } from '../../approvals/approvals.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { hindranceOf, type Hindrance } from '../../loop/call-endings.ts'
import type { ToolCall } from '../../tools/tool-call.ts'
import { permissionOf } from './permission.ts'

/**
 * Looks at what has become of the last attempt, at what the agent may do and, if somebody was asked to approve the call,
 * at the answer.
 */
export async function hindranceNow(
  db: Database | Transaction,
  call: ToolCall,
  { approvals, now }: { approvals: Pick<Approvals, 'ofCall'>; now: Date },
): Promise<Hindrance | undefined> {
  const permission = await permissionOf(db, call)
  const approval = permission.asked ? await approvals.ofCall(db, call.id) : undefined
  return hindranceOf(call, permission, { approval, now })
}
