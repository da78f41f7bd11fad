import { createHash } from 'node:crypto'
import type { Database, Transaction } from '../database/database.ts'
import { Row } from '../database/row.ts'

/** `withdrawn`: the requester has ended. Only a pending approval changes, and only once. */
export const approvalStatuses = ['pending', 'approved', 'refused', 'expired', 'withdrawn'] as const
export type ApprovalStatus = (typeof approvalStatuses)[number]

/** Approval of a tool call of a run or a chat answer (table `approvals`). */
export class Approval extends Row {
  static override tableName = 'approvals'
  static override anyTexts = ['arguments', 'note']
  declare id: string
  declare ownerId: string
  declare callId: string
  /** The requester: a run with its agent, or an answer with its session. */
  declare runId: string | null
  declare agentId: string | null
  declare sessionId: string | null
  declare answerId: string | null
  declare status: ApprovalStatus
  declare siteOrigin: string
  declare tool: string
  /** The JSON text of the arguments, sent exactly as stored. */
  declare arguments: string
  /** See `argumentsHashOf`. */
  declare argumentsHash: string
  declare requestedAt: Date
  declare expiresAt: Date
  declare decidedAt: Date | null
  /** The user who approved or refused it. */
  declare decidedBy: string | null
  /** A note on the decision. The model sees it if the call was refused. */
  declare note: string | null
}

/** The requests of answers that nobody has decided about, oldest first. */
export const pendingOfAnswers = (db: Database | Transaction, answerIds: string[]) =>
  Approval.query(db).whereIn('answerId', answerIds).where({ status: 'pending' }).orderBy('id')

/** Withdraws pending approvals: the requester has ended, or will not make the call. */
export async function withdrawApprovals(
  trx: Transaction,
  what: { runId: string } | { answerId: string } | { callId: string },
  now: Date,
): Promise<void> {
  await Approval.query(trx)
    .where({ ...what, status: 'pending' })
    .patch({ status: 'withdrawn', decidedAt: now })
}

/** SHA-256 of the arguments' text, in hex. */
export const argumentsHashOf = (args: string): string => createHash('sha256').update(args).digest('hex')

/** The parts of a call that its approval covers. */
type ApprovedCall = { arguments: string; tool: string | null; siteOrigin: string | null }

/** Whether the call still matches the approval: same site, tool and arguments. */
export const isAsShown = (approval: Approval, call: ApprovedCall): boolean =>
  call.tool === approval.tool &&
  call.siteOrigin === approval.siteOrigin &&
  argumentsHashOf(call.arguments) === approval.argumentsHash
