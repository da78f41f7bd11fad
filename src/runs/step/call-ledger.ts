import type { Approval } from '../../approvals/approval.ts'
import type { Approvals } from '../../approvals/approvals.ts'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { endingWithout, type CallEnding, type Hindrance } from '../../loop/call-endings.ts'
import type { CallOutcome } from '../../tools/call-site.ts'
import { isFinal, recordedResult, statusAfter, ToolCall } from '../../tools/tool-call.ts'
import { lockRun, readRun, type RunRef } from '../record.ts'
import type { Run } from '../run.ts'
import { hindranceNow } from './hindrance.ts'
import { permissionOf } from './permission.ts'
import { heldUpMs } from '../time-left.ts'
import { append, type NewEvent } from '../timeline.ts'

/** How often a site may refuse one call (401 or 429, so it did nothing) before that is its answer. */
export const maxRefused = 20

const repeated =
  'The previous attempt has no recorded result because its worker failed or was stopped. The call will be retried because its tool is declared safe to repeat.'

/** What is recorded of a call's attempts when it ends. */
export type Counted = Pick<ToolCall, 'attempts' | 'inDoubt'>

type Wait = Partial<Pick<ToolCall, 'waitCause' | 'notBefore' | 'refusedGeneration'>>

/** Writes about the tool calls of a run, each time under the run's lock and its epoch. */
export function createCallLedger(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'budgets'>
  approvals: Pick<Approvals, 'ofCall' | 'expire' | 'withdraw'>
}) {
  const { database, clock, config, approvals } = context
  const underLock = <T>(ref: RunRef, work: (trx: Transaction, run: Run, now: Date) => Promise<T>): Promise<T> =>
    database.transaction(async (trx) => work(trx, await lockRun(trx, ref), clock.now()))

  /** Only this attempt may record its outcome; an outcome that was recorded meanwhile stands. */
  const ofAttempt = (trx: Transaction, { subjectId, id, status, attempts }: ToolCall) =>
    ToolCall.query(trx).where({ subjectId, id, status, attempts })

  /** What keeps the call from being sent, or from being sent again. */
  const whyNot = (db: Database | Transaction, call: ToolCall): Promise<Hindrance | undefined> =>
    hindranceNow(db, call, { approvals, now: clock.now() })

  const leaveUnsent = (ref: RunRef, callId: string): Promise<void> =>
    underLock(ref, async (trx, run, now) => {
      const call = await openCall(trx, run, callId)
      const hindrance = call && (await whyNot(trx, call))
      if (!hindrance) return
      if ('status' in hindrance) await close(trx, call, hindrance, now)
      else await call.$query(trx).patch({ waitCause: 'approval', notBefore: hindrance.waitsUntil })
    })

  /** Ends a call that is not sent any more, and frees its place at the host. Nobody need decide about it. */
  async function close(trx: Transaction, call: ToolCall, { status, note }: CallEnding, now: Date): Promise<void> {
    const { id: callId, subjectId, attempts } = call
    await trx.raw('delete from outgoing_waits where call_id = :callId', { callId })
    await call.$query(trx).patch({ status, result: note, endedAt: now })
    const expired = await approvals.expire(trx, callId)
    await approvals.withdraw(trx, { callId })
    const finished: NewEvent = { kind: 'tool.finished', data: { callId, attempts, status, note } }
    await append(trx, subjectId, now, [...(expired ? [expiredEvent(expired)] : []), finished])
  }

  return {
    /**
     * The call and its run, if there is anything to send; ends it if it must not be sent, or not again. Most calls are only
     * read here: `begin` checks again, under the lock.
     */
    async look(ref: RunRef, callId: string): Promise<{ call: ToolCall; run: Run } | undefined> {
      const { run } = await readRun(database, ref)
      const call = open(run, await callOf(database, run, callId))
      if (!call) return undefined
      if (!(await whyNot(database, call))) return { call, run }
      await leaveUnsent(ref, callId)
      return undefined
    },

    /** Records that the call is sent now; undefined if it must not be sent any more. */
    begin: (ref: RunRef, seen: ToolCall): Promise<ToolCall | undefined> =>
      underLock(ref, async (trx, run, now) => {
        const callId = seen.id
        const call = await openCall(trx, run, callId)
        // Another worker has begun it since `look`: Temporal gave it to two workers, and this one is late.
        if (!call || call.status !== seen.status || call.attempts !== seen.attempts) return undefined
        // The wait for a slot may have been long.
        const ending = endingWithout(await permissionOf(trx, call), call)
        if (ending) {
          await close(trx, call, ending, now)
          return undefined
        }
        const attempt = call.attempts + 1
        const isLost = call.status === 'started' && call.failedAttempt !== call.attempts
        const free = { waitCause: null, notBefore: null, inDoubt: call.inDoubt || call.status === 'started' }
        const changes = { status: 'started' as const, attempts: attempt, epoch: ref.epoch, startedAt: now, ...free }
        await call.$query(trx).patch(changes)
        const data = { callId, attempt, ...(isLost && { note: repeated }) }
        const waitedMs = run.waitedMs + heldUpMs(run, config.budgets, now)
        await append(trx, run.id, now, [{ kind: 'tool.started', data }], { waitedMs })
        return Object.assign(call, changes)
      }),

    finish: (ref: RunRef, call: ToolCall, outcome: CallOutcome, counted: Counted = call): Promise<void> =>
      underLock(ref, async (trx, run, now) => {
        const { attempts, inDoubt } = counted
        const status = statusAfter({ effect: call.effect, inDoubt }, outcome)
        const result = { httpStatus: outcome.httpStatus, result: recordedResult(outcome) }
        if ((await ofAttempt(trx, call).patch({ status, attempts, ...result, endedAt: now })) === 0) return
        const note = outcome.kind === 'unread' && { note: outcome.text }
        const data = { callId: call.id, attempts, status, ...note }
        await append(trx, run.id, now, [{ kind: 'tool.finished', data }])
      }),

    /** The attempt failed and there will be another. */
    noteFailure: (ref: RunRef, call: ToolCall, outcome: CallOutcome): Promise<void> =>
      underLock(ref, async (trx, run, now) => {
        // Nothing reached the site, so the call is planned again, whatever its effect.
        const status = outcome.kind === 'unavailable' && outcome.certain ? 'planned' : 'started'
        if ((await ofAttempt(trx, call).patch({ status, failedAttempt: call.attempts })) === 0) return
        await append(trx, run.id, now, [failedEvent(call, outcome.text)])
      }),

    /** The site refused the attempt, so it did nothing: the call is planned again, and the attempt counted. */
    recordRefusal: (ref: RunRef, call: ToolCall, outcome: CallOutcome, generation: number): Promise<ToolCall> =>
      underLock(ref, async (trx, run, now) => {
        const refusedGeneration = outcome.httpStatus === 401 ? generation : call.refusedGeneration
        const refusedAttempts = call.refusedAttempts + 1
        const failedAttempt = call.attempts
        const changes = { status: 'planned' as const, refusedAttempts, failedAttempt, refusedGeneration }
        if ((await ofAttempt(trx, call).patch(changes)) === 0) return call
        const isAnswer = outcome.httpStatus === 429 && refusedAttempts > maxRefused
        await append(trx, run.id, now, isAnswer ? [] : [failedEvent(call, outcome.text)])
        return Object.assign(call, changes)
      }),

    /** The call cannot be sent now; `wait` says what it waits for. */
    postpone: (ref: RunRef, call: ToolCall, wait: Wait): Promise<void> =>
      underLock(ref, async (trx) => void (await ofAttempt(trx, call).patch(wait))),

    /** The call was not sent: its connection cannot be opened for now. Counted, so that this ends. */
    countUnsent: (ref: RunRef, call: ToolCall, outcome: CallOutcome): Promise<void> =>
      underLock(ref, async (trx, run, now) => {
        const attempts = call.attempts + 1
        if ((await ofAttempt(trx, call).patch({ attempts, failedAttempt: attempts })) === 0) return
        await append(trx, run.id, now, [failedEvent({ id: call.id, attempts }, outcome.text)])
      }),

    /** A credential was refreshed for the call. */
    noteRefresh: (ref: RunRef, call: ToolCall): Promise<void> =>
      underLock(ref, async (trx, run, now) => {
        const data = { callId: call.id, site: call.siteOrigin ?? '' }
        await append(trx, run.id, now, [{ kind: 'credential.refreshed', data }])
      }),
  }
}

const callOf = (db: Database | Transaction, run: Run, callId: string) =>
  ToolCall.query(db).findOne({ id: callId, subjectId: run.id })

const openCall = async (trx: Transaction, run: Run, callId: string): Promise<ToolCall | undefined> =>
  open(run, await callOf(trx, run, callId).forUpdate())

/** The call, unless it is final or its run is cancelled. */
function open(run: Run, call: ToolCall | undefined): ToolCall | undefined {
  if (!call) throw new Error('the run has no such tool call')
  return isFinal(call.status) || run.cancelRequestedAt ? undefined : call
}

const expiredEvent = ({ id: approvalId, callId }: Approval): NewEvent => ({
  kind: 'approval.decided',
  data: { callId, approvalId, status: 'expired' },
})

const failedEvent = ({ id: callId, attempts: attempt }: Pick<ToolCall, 'id' | 'attempts'>, message: string) => ({
  kind: 'tool.failed' as const,
  data: { callId, attempt, message, willRetry: true as const },
})
