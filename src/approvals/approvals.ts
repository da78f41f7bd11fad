import type { Clock } from '../clock.ts'
import { approvalPage } from '../console-pages.ts'
import type { Database, Transaction } from '../database/database.ts'
import { page, type Page, type PageRequest } from '../database/paging.ts'
import { assertThat } from '../errors.ts'
import { isId, newId } from '../ids.ts'
import type { Form } from '../forms/form.ts'
import { belongsTo, type Owners } from '../owners/reach.ts'
import type { Notifications } from '../notifications/notifications.ts'
import { quotedName } from '../names.ts'
import { utc } from '../notifications/plain-text.ts'
import type { Due } from '../runs/due.ts'
import { Approval, approvalStatuses, argumentsHashOf, type ApprovalStatus } from './approval.ts'
import { createDecide, unknown } from './decide.ts'

/** The requester: a run, or an answer in a session. */
type ApprovalOf = { runId: string; agentId: string } | { sessionId: string; answerId: string }

/** A call that needs an approval, or whose site asks for input. */
export interface CallToApprove {
  callId: string
  siteOrigin: string
  tool: string
  /** The JSON text of the arguments, as it will be sent. */
  arguments: string
  /** The form, which of the call's it is, and the site's state, as `CallOutcome` has them. */
  question?: { formNumber: number; form: Form; state: string }
}

/** The calls of one step, requested together. */
export interface ApprovalRequest {
  ownerId: string
  of: ApprovalOf
  /** The requester, as the start of a sentence: `Run 12 of the agent "Triage"`. */
  asker: string
  calls: CallToApprove[]
  expiresAt: Date
}

interface ApprovalFilter {
  status?: ApprovalStatus | undefined
  agentId?: string | undefined
  sessionId?: string | undefined
}

/**
 * Approvals of tool calls (docs/understand/effects.md, "Approvals"). A request stores the exact arguments and is
 * decided once. The requester locks its own row (a run, an answer) before rows of approvals.
 */
export function createApprovals(context: {
  database: Database
  clock: Clock
  notifications: Pick<Notifications, 'notify'>
  due: Due
}) {
  const { database, clock, notifications } = context

  async function get(owners: Owners, id: string): Promise<Approval> {
    const approval = isId(id) ? await Approval.query(database).findById(id) : undefined
    assertThat(approval && belongsTo(owners, approval.ownerId), 'NOT_FOUND', { message: unknown })
    return approval
  }

  /** Names the tool, which sites publish, but not the arguments, because notifications are mailed. */
  const notify = (trx: Transaction, asker: string, approval: Approval): Promise<boolean> => {
    const { id, ownerId, tool, siteOrigin, expiresAt } = approval
    const isForm = approval.form !== null
    return notifications.notify(trx, {
      ownerId,
      kind: 'approval_requested',
      subjectId: id,
      key: id,
      consolePage: approvalPage(id),
      title: isForm
        ? `A tool asks for input: ${quotedName(tool)}`
        : `A tool call needs your approval: ${quotedName(tool)}`,
      message: isForm
        ? `${asker} has called ${quotedName(tool)} at ${siteOrigin}, and the site asks for input. To read the form, use GET /approvals/${id}. To answer or refuse, use POST /approvals/${id}. The call will end without an answer at ${utc(expiresAt)}.`
        : `${asker} wants to call ${quotedName(tool)} at ${siteOrigin}. To review the arguments, use GET /approvals/${id}. To approve or refuse the call, use POST /approvals/${id}. The call will be made only if it is approved before ${utc(expiresAt)}.`,
    })
  }

  return {
    get,
    ...createDecide({ ...context, get }),

    /**
     * Requests approval of calls in the transaction that plans them, and notifies their owner of each. The unique call
     * id and the number of the form allow one request of each kind.
     */
    async request(trx: Transaction, { ownerId, of, asker, calls, expiresAt }: ApprovalRequest): Promise<Approval[]> {
      if (calls.length === 0) return []
      const shared = { ownerId, ...of, status: 'pending' as const, requestedAt: clock.now(), expiresAt }
      const rows = calls.map(({ question, ...call }) => ({
        id: newId(),
        ...shared,
        ...call,
        formNumber: question?.formNumber ?? 0,
        form: question ? JSON.stringify(question.form) : null,
        siteState: question?.state ?? null,
        argumentsHash: argumentsHashOf(call.arguments),
      }))
      const approvals = await Approval.query(trx).insert(rows)
      for (const approval of approvals) await notify(trx, asker, approval)
      return approvals
    },

    /** An owner's approvals, newest first. Fails for an invalid cursor. */
    async list(
      ownerId: string,
      { status, agentId, sessionId, ...request }: ApprovalFilter & PageRequest,
    ): Promise<Page<Approval>> {
      const named = [agentId, sessionId].filter((id) => id !== undefined)
      if (!named.every(isId)) return { items: [], nextCursor: null }
      return page(Approval.query(database).select('approvals.*'), {
        list: 'approvals',
        time: 'requestedAt',
        of: { ownerId },
        only: { agentId, sessionId, status },
        ...(named.length > 0 && { domains: { status: approvalStatuses } }),
        bytes: 'octet_length(arguments)',
        ...request,
      })
    },

    /** The latest approval of a call; undefined if none was requested. */
    ofCall: async (db: Database | Transaction, callId: string): Promise<Approval | undefined> =>
      Approval.query(db).where({ callId }).orderBy('formNumber', 'desc').first(),

    /** Marks the call's approval as expired if it is overdue, and then returns it. */
    expire: async (trx: Transaction, callId: string): Promise<Approval | undefined> =>
      Approval.query(trx)
        .where({ callId, status: 'pending' })
        .where('expiresAt', '<=', clock.now())
        .patch({ status: 'expired', decidedAt: clock.now() })
        .returning('*')
        .first(),
  }
}

export type Approvals = ReturnType<typeof createApprovals>
