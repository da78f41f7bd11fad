import type { Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import { assertThat, CodedError } from '../errors.ts'
import { readInput } from '../forms/read-input.ts'
import type { Due } from '../runs/due.ts'
import { Run } from '../runs/run.ts'
import { append } from '../runs/timeline.ts'
import { ToolCall } from '../tools/tool-call.ts'
import { Approval, formOf, type ApprovalStatus } from './approval.ts'

/** A decision on an approval. */
export interface Decision {
  decision: 'approve' | 'refuse'
  /** The model sees it if the call is refused. */
  note?: string | undefined
  /** The hash of the arguments that the decider saw. */
  argumentsHash?: string | undefined
  /** The values for the form, if the approval has one and is approved. */
  input?: Record<string, unknown> | undefined
}

const statusAfter = { approve: 'approved', refuse: 'refused' } as const

/** The result of a decision. An error is thrown after the commit. */
interface Decided {
  approval: Approval
  error?: CodedError
}

/** Decides approvals, each once and under its lock. */
export function createDecide(context: {
  database: Database
  clock: Clock
  due: Due
  get: (ownerId: string, id: string) => Promise<Approval>
}) {
  const { database, clock, due, get } = context

  /** A run's call continues with the same commit, whatever the decision. A chat answer polls for itself. */
  async function free(trx: Transaction, approval: Approval, now: Date): Promise<void> {
    const { id: approvalId, runId, agentId, callId, note } = approval
    if (runId === null || agentId === null) return
    const status = approval.status as 'approved'
    const data = { callId, approvalId, status, ...(note !== null && { note }) }
    await append(trx, runId, now, [{ kind: 'approval.decided', data }])
    await ToolCall.query(trx)
      .where({ subjectId: runId, id: callId, status: 'planned', waitCause: 'approval' })
      .patch({ waitCause: null, notBefore: null })
    await due.agent(trx, agentId)
  }

  async function record(trx: Transaction, approval: Approval, changes: Partial<Approval>): Promise<Approval> {
    const decidedAt = clock.now()
    const decided = await Approval.query(trx).patchAndFetchById(approval.id, { ...changes, decidedAt })
    await free(trx, decided, decidedAt)
    return decided
  }

  async function decideUnderLock(trx: Transaction, approval: Approval, by: string, asked: Decision): Promise<Decided> {
    const status = statusAfter[asked.decision]
    assertSeen(approval, asked.argumentsHash)
    if (approval.status !== 'pending') {
      const isSame =
        approval.status === status && (asked.input === undefined || inputIn(approval, asked) === approval.input)
      return { approval, ...(!isSame && { error: decidedAlready(approval.status) }) }
    }
    if (approval.expiresAt <= clock.now()) {
      return { approval: await record(trx, approval, { status: 'expired' }), error: decidedAlready('expired') }
    }
    return {
      approval: await record(trx, approval, {
        status,
        decidedBy: by,
        note: asked.note ?? null,
        input: inputIn(approval, asked),
      }),
    }
  }

  return {
    /**
     * Approves or refuses. Repeating the same decision changes nothing. Fails with NOT_FOUND, and with VALIDATION_ERROR
     * if it was decided otherwise, has expired or was withdrawn, or if the decider saw other arguments.
     */
    async decide(by: { ownerId: string; userId: string }, id: string, asked: Decision): Promise<Approval> {
      const { runId } = await get(by.ownerId, id)
      const { approval, error } = await database.transaction(async (trx) => {
        // Locks the run before the approval, as the end of a run does.
        if (runId !== null) await Run.query(trx).findById(runId).select('id').forUpdate()
        const current = await Approval.query(trx).findById(id).forUpdate()
        assertThat(current, 'NOT_FOUND', { message: unknown })
        return decideUnderLock(trx, current, by.userId, asked)
      })
      if (error) throw error
      return approval
    },
  }
}

export const unknown = 'There is no approval with this id.'

/** Rejects a decision on arguments that the decider has not seen. */
function assertSeen({ argumentsHash }: Approval, seen: string | undefined): void {
  const message = 'The arguments differ from those you reviewed. Review them and decide again.'
  const details = [{ path: 'argumentsHash', message }]
  assertThat(seen === undefined || seen === argumentsHash, 'VALIDATION_ERROR', { message, details })
}

/** The JSON text of the values for the form; null if none are sent. Throws VALIDATION_ERROR with the problems by path. */
function inputIn(approval: Approval, { decision, input }: Decision): string | null {
  const form = formOf(approval)
  const message = 'This approval has no form, so there is nothing to fill in.'
  const details = [{ path: 'input', message }]
  assertThat(form !== undefined || input === undefined, 'VALIDATION_ERROR', { message, details })
  if (form === undefined || decision === 'refuse') return null
  const read = readInput(form, input ?? {})
  if ('input' in read) return JSON.stringify(read.input)
  throw new CodedError('VALIDATION_ERROR', { message: 'The values do not fit the form.', details: read.problems })
}

const sentences = {
  approved: 'The call has already been approved.',
  refused: 'The call has already been refused.',
  expired: 'The approval has expired, so the call will not be made.',
  withdrawn: 'The call no longer needs approval because its run or chat answer has ended.',
} as const

function decidedAlready(status: Exclude<ApprovalStatus, 'pending'>): CodedError {
  const message = sentences[status]
  return new CodedError('VALIDATION_ERROR', { message, details: [{ path: 'decision', message }] })
}
