import { createHash } from 'node:crypto'
import { Row } from '../database/row.ts'

/**
 * `withdrawn`: what asked for it has ended. Only a pending approval changes, and it does so once.
 */
export const approvalStatuses = ['pending', 'approved', 'refused', 'expired', 'withdrawn'] as const
export type ApprovalStatus = (typeof approvalStatuses)[number]

/** A tool call that is made only once somebody has approved it (table `approvals`), of a run or of an answer in a chat. */
export class Approval extends Row {
  static override tableName = 'approvals'
  static override anyTexts = ['arguments', 'note']
  declare id: string
  declare ownerId: string
  declare callId: string
  /** Whose call it is: either a run's, with its agent, or an answer's, with its session. */
  declare runId: string | null
  declare agentId: string | null
  declare sessionId: string | null
  declare answerId: string | null
  declare status: ApprovalStatus
  declare siteOrigin: string
  declare tool: string
  /** The JSON text of the arguments: exactly this is sent. */
  declare arguments: string
  /** See `argumentsHashOf`. */
  declare argumentsHash: string
  declare requestedAt: Date
  declare expiresAt: Date
  declare decidedAt: Date | null
  /** The user who approved or refused it. */
  declare decidedBy: string | null
  /** What was said about the decision; the model is told of it if the call was refused. */
  declare note: string | null
}

/** SHA-256 of the text of the arguments, in hex. */
export const argumentsHashOf = (args: string): string => createHash('sha256').update(args).digest('hex')

/** The parts of a call that its approval is about. */
type ApprovedCall = { arguments: string; tool: string | null; siteOrigin: string | null }

/** Whether the call is still the one that was shown: the same tool of the same site, with the same arguments. */
export const isAsShown = (approval: Approval, call: ApprovedCall): boolean =>
  call.tool === approval.tool &&
  call.siteOrigin === approval.siteOrigin &&
  argumentsHashOf(call.arguments) === approval.argumentsHash
