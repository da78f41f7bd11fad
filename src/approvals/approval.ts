import { createHash } from 'node:crypto'
import type { Form, FormAnswer, FormInput } from '../forms/form.ts'
import type { Database, Transaction } from '../database/database.ts'
import { Row } from '../database/row.ts'

/** `withdrawn`: the requester has ended. Only a pending approval changes, and only once. */
export const approvalStatuses = ['pending', 'approved', 'refused', 'expired', 'withdrawn'] as const
export type ApprovalStatus = (typeof approvalStatuses)[number]

/**
 * Approval of a tool call of a run or a chat answer, or a form that its site wants to have filled in the middle of the call
 * (table `approvals`).
 */
export class Approval extends Row {
  static override tableName = 'approvals'
  static override anyTexts = ['arguments', 'note', 'form', 'siteState', 'input']
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
  /** A note on the decision. The model sees it if the call was refused before it was made. */
  declare note: string | null
  /** 0 for the approval of the call itself, else which of its forms this is. */
  declare formNumber: number
  /** The JSON text of the form, and what the request that continues the call carries for the site. */
  declare form: string | null
  declare siteState: string | null
  /** The JSON text of the values given. They are stored before they are sent. */
  declare input: string | null
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

/** The form of an approval; undefined if it is about the call itself. */
export const formOf = ({ form }: Pick<Approval, 'form'>): Form | undefined =>
  form === null ? undefined : (JSON.parse(form) as Form)

/** What the site is answered once a person has decided about its form. A refusal is an answer too. */
export function answerIn({ status, siteState: state, input }: Approval): FormAnswer | undefined {
  if (state === null) return undefined
  if (input !== null) return { state, action: 'accept', input: JSON.parse(input) as FormInput }
  return status === 'refused' ? { state, action: 'decline' } : undefined
}

/** The parts of a call that its approval covers. */
type ApprovedCall = { arguments: string; tool: string | null; siteOrigin: string | null }

/** Whether the call still matches the approval: same site, tool and arguments. */
export const isAsShown = (approval: Approval, call: ApprovedCall): boolean =>
  call.tool === approval.tool &&
  call.siteOrigin === approval.siteOrigin &&
  argumentsHashOf(call.arguments) === approval.argumentsHash
