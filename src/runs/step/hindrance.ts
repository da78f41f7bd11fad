import { isAsShown, type Approval } from '../../approvals/approval.ts'
import type { Approvals } from '../../approvals/approvals.ts'
import type { Database, Transaction } from '../../database/database.ts'
import type { ToolCall } from '../../tools/tool-call.ts'
import { endingWithout, permissionOf, unsent, type CallEnding } from './permission.ts'

/** What keeps a call from being sent: it ends so, or it waits until then. */
export type Hindrance = CallEnding | { waitsUntil: Date }

/** Looks at what the agent may do and, if somebody was asked to approve the call, at the answer. */
export async function hindranceOf(
  db: Database | Transaction,
  call: ToolCall,
  { approvals, now }: { approvals: Pick<Approvals, 'ofCall'>; now: Date },
): Promise<Hindrance | undefined> {
  const permission = await permissionOf(db, call)
  const ending = endingWithout(permission, call)
  if (ending || !permission.asked) return ending
  const approval = await approvals.ofCall(db, call.id)
  if (!approval || (approval.status === 'pending' && permission.gone)) return unsent(call, needless)
  return byApproval(approval, call, now)
}

const needless = 'The call was not made: its site is no longer connected.'
const notInTime = 'Nobody approved this call in time, so it was not made.'
const changed = 'The call was not made, because it is not the one that was approved.'
const refused = 'The owner refused this call, so it was not made. Do not ask for it again.'

/** What is sent is what was approved, to the letter. */
function byApproval(approval: Approval, call: ToolCall, now: Date): Hindrance | undefined {
  const { status, expiresAt, note } = approval
  if (status === 'approved') return isAsShown(approval, call) ? undefined : unsent(call, changed)
  if (status === 'pending' && expiresAt > now) return { waitsUntil: expiresAt }
  if (status !== 'refused') return unsent(call, notInTime)
  return unsent(call, note === null ? refused : `${refused} They say: ${note}`)
}
