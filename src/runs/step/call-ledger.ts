import { answerIn, type Approval } from '../../approvals/approval.ts'
import type { Approvals } from '../../approvals/approvals.ts'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import type { Database, Transaction } from '../../database/database.ts'
import type { FormAnswer } from '../../forms/form.ts'
import { endingWithout, hindranceOf, type CallEnding, type Hindrance } from '../../loop/call-endings.ts'
import { asSeen, createCallLedger, type Fence } from '../../loop/call-ledger.ts'
import { endCall } from '../../loop/close-calls.ts'
import type { Loop } from '../../loop/loop.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import { isFinal, ToolCall } from '../../tools/tool-call.ts'
import { lockWorkedRun } from '../lock-worked-run.ts'
import { readRun, type RunRef } from '../record.ts'
import type { Run } from '../run.ts'
import { askingTimeLeft, heldUpMs, waitingTimeLeft } from '../time-left.ts'
import { append, type NewEvent } from '../timeline.ts'
import { permissionOf } from './permission.ts'
import { askedEvent, nameOf } from './write-step.ts'

/** How often a site may refuse one call (401 or 429, so it did nothing) before that is its answer. */
export const maxRefused = 20

/**
 * The ledger of a run's calls: each write is made under the run's lock and its epoch, together with what the timeline says
 * of it.
 */
export function createRunLedger(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'budgets'>
  approvals: Pick<Approvals, 'ofCall' | 'expire' | 'request'>
  loop: Pick<Loop, 'settleCalls'>
  metrics: Pick<Metrics, 'toolCalls'>
}) {
  const { database, clock, config, approvals, loop, metrics } = context
  const underLock = <T>(ref: RunRef, work: (trx: Transaction, run: Run, now: Date) => Promise<T>): Promise<T> =>
    database.transaction(async (trx) => work(trx, await lockWorkedRun(trx, ref, context), clock.now()))

  const fenceOf = (ref: RunRef): Fence => ({
    change: (seen, changes, event) =>
      underLock(ref, async (trx, run, now) => {
        if ((await asSeen(trx, seen).patch(changes)) === 0) return false
        await append(trx, run.id, now, event ? [event] : [])
        return true
      }),

    begin: (seen, changes, event) =>
      underLock(ref, async (trx, run, now) => {
        if (run.cancelRequestedAt) return false
        // The wait for a slot may have been long.
        const ending = endingWithout(await permissionOf(trx, seen), seen)
        if (ending) {
          await end(trx, run, seen, ending, now)
          return false
        }
        // Another worker may have begun it since `look`: Temporal gave it to two workers, and this one is late.
        if ((await asSeen(trx, seen).patch(changes)) === 0) return false
        const waitedMs = run.waitedMs + heldUpMs(run, config.budgets, now)
        await append(trx, run.id, now, [event], { waitedMs })
        return true
      }),

    ask: (seen, changes, question) =>
      underLock(ref, async (trx, run, now) => {
        const expiresAt = new Date(now.getTime() + askingTimeLeft(run, config.budgets, now))
        if (expiresAt <= now) return false
        if ((await asSeen(trx, seen).patch(changes(expiresAt))) === 0) return true
        const { id: runId, agentId, ownerId } = run
        const asker = await nameOf(trx, run)
        const request = { ownerId, of: { runId, agentId }, asker, calls: [question], expiresAt }
        const asked = await approvals.request(trx, request)
        await append(trx, run.id, now, asked.map(askedEvent))
        return true
      }),

    mayWaitUntil: async () => {
      const { run } = await readRun(database, ref)
      const now = clock.now()
      return new Date(now.getTime() + Math.max(0, waitingTimeLeft(run, config.budgets, now)))
    },
  })

  /** What keeps the call from being sent, or from being sent again. */
  async function hindranceNow(db: Database | Transaction, call: ToolCall): Promise<Hindrance | undefined> {
    const permission = await permissionOf(db, call)
    const approval = call.asksFirst ? await approvals.ofCall(db, call.id) : undefined
    return hindranceOf(call, permission, { approval, now: clock.now() })
  }

  const leaveUnsent = (ref: RunRef, callId: string): Promise<void> =>
    underLock(ref, async (trx, run, now) => {
      const call = open(run, await callOf(trx, run, callId))
      const hindrance = call && (await hindranceNow(trx, call))
      if (!hindrance) return
      if ('status' in hindrance) await end(trx, run, call, hindrance, now)
      else await asSeen(trx, call).patch({ waitCause: 'approval', notBefore: hindrance.waitsUntil })
    })

  async function end(trx: Transaction, { ownerId }: Run, call: ToolCall, ending: CallEnding, now: Date): Promise<void> {
    const { ended, expired } = await endCall(trx, approvals, call, ending, now)
    if (!ended) return
    loop.settleCalls(trx, { ownerId, calls: [ended] })
    const data = { callId: call.id, attempts: call.attempts, ...ending }
    const finished: NewEvent = { kind: 'tool.finished', data }
    await append(trx, call.subjectId, now, [...(expired ? [expiredEvent(expired)] : []), finished])
  }

  return (ref: RunRef) => ({
    ...createCallLedger(fenceOf(ref), { clock, maxRefused, metrics }),

    /**
     * The call and its run, if there is anything to send; ends it if it must not be sent, or not again. Most calls are only
     * read here: `begin` checks again, under the lock.
     */
    async look(callId: string): Promise<Found | undefined> {
      const { run } = await readRun(database, ref)
      const call = open(run, await callOf(database, run, callId))
      if (!call) return undefined
      if (!(await hindranceNow(database, call))) {
        const approval = call.forms > 0 ? await approvals.ofCall(database, call.id) : undefined
        return { call, run, answer: approval && answerIn(approval) }
      }
      await leaveUnsent(ref, callId)
      return undefined
    },

    /** A credential was refreshed for the call. */
    refreshed: (call: ToolCall): Promise<void> =>
      underLock(ref, async (trx, run, now) => {
        const data = { callId: call.id, site: call.siteOrigin ?? '' }
        await append(trx, run.id, now, [{ kind: 'credential.refreshed', data }])
      }),
  })
}

/** A call that can be sent, with what a person has answered to its site. */
interface Found {
  call: ToolCall
  run: Run
  answer: FormAnswer | undefined
}

const callOf = (db: Database | Transaction, run: Run, callId: string) =>
  ToolCall.query(db).findOne({ id: callId, subjectId: run.id })

/** The call, unless it is final or its run is cancelled. */
function open(run: Run, call: ToolCall | undefined): ToolCall | undefined {
  if (!call) throw new Error('the run has no such tool call')
  return isFinal(call.status) || run.cancelRequestedAt ? undefined : call
}

const expiredEvent = ({ id: approvalId, callId }: Approval): NewEvent => ({
  kind: 'approval.decided',
  data: { callId, approvalId, status: 'expired' },
})
