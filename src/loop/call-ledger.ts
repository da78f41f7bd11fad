import type { CallToApprove } from '../approvals/approvals.ts'
import { latest, type Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import { mostForms } from '../forms/form.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { CallOutcome } from '../tools/call-outcome.ts'
import { askAgainAt, heard, inDoubt, unheard, whyOver, type Job } from '../tools/job.ts'
import { recordedResult, statusAfter, ToolCall } from '../tools/tool-call.ts'
import { mayHaveActed } from './call-endings.ts'

/** A call as it was seen: what somebody else has recorded meanwhile stands. */
export const asSeen = (db: Database | Transaction, { subjectId, id, status, attempts }: ToolCall) =>
  ToolCall.query(db).where({ subjectId, id, status, attempts })

/** What the timeline of a run says of a call. Readers of an answer see the call itself. */
export type CallEvent =
  | { kind: 'tool.started'; data: { callId: string; attempt: number; note?: string } }
  | { kind: 'tool.failed'; data: { callId: string; attempt: number; message: string; willRetry: true } }
  | { kind: 'tool.finished'; data: { callId: string; attempts: number; status: string; note?: string } }

type Changes = Partial<ToolCall>

/**
 * Who may write about the calls of a run or an answer: the execution of its epoch, or its writer. A write is about a call
 * as it was seen: what somebody else has recorded meanwhile stands.
 */
export interface Fence {
  /** Changes the call. Returns whether it was as it was seen. */
  change: (seen: ToolCall, changes: Changes, event?: CallEvent) => Promise<boolean>
  /** Changes a call that is sent now. One that must not be sent any more is ended instead. */
  begin: (seen: ToolCall, changes: Changes, event: CallEvent) => Promise<boolean>
  /**
   * Changes a call whose site asks, and requests the answer of a person. Returns false, without a change, if there is no
   * time left to wait for it.
   */
  ask: (seen: ToolCall, changes: (until: Date) => Changes, question: CallToApprove) => Promise<boolean>
  /** How long the end of a call can be waited for that its site works on. */
  mayWaitUntil: (seen: ToolCall) => Promise<Date>
}

/** What is recorded of a call's attempts when it ends. */
type Counted = Pick<ToolCall, 'attempts' | 'inDoubt'>

/** The outcome of an attempt whose site asks. */
export type Asking = Extract<CallOutcome, { kind: 'asks' }>

/** The outcome of an attempt whose site works on the call. */
export type Accepted = Extract<CallOutcome, { kind: 'accepted' }>

/** What a call waits for. */
type Wait = Partial<Pick<ToolCall, 'waitCause' | 'notBefore' | 'refusedGeneration'>>

const repeated =
  'The previous attempt has no recorded result because its worker failed or was stopped. The call will be retried because its tool is declared safe to repeat.'

/**
 * Writes about the tool calls of a run or an answer.
 *
 * @param maxRefused how often a site may refuse a call (401 or 429, so it did nothing) before that is its answer
 */
export const createCallLedger = (
  { change, begin, ask, mayWaitUntil }: Fence,
  { clock, maxRefused, metrics }: { clock: Clock; maxRefused: number; metrics: Pick<Metrics, 'toolCalls'> },
) => {
  /** A call whose form was answered goes on: it is planned, and started again. */
  async function wait(call: ToolCall, job: Job, notBefore: Date): Promise<CallOutcome | undefined> {
    const over = whyOver(job, clock.now())
    if (over !== undefined) return inDoubt(over)
    await change(call, { status: 'started', job, waitCause: 'job', notBefore })
    return undefined
  }

  return {
    maxRefused,

    /** Records that the call is sent now; undefined if it must not be sent any more. */
    async begin(call: ToolCall): Promise<ToolCall | undefined> {
      const attempts = call.attempts + 1
      const isLost = call.status === 'started' && call.failedAttempt !== call.attempts
      const free = { waitCause: null, notBefore: null, inDoubt: mayHaveActed(call) }
      const begun = { status: 'started' as const, attempts, startedAt: clock.now(), ...free }
      const data = { callId: call.id, attempt: attempts, ...(isLost && { note: repeated }) }
      return (await begin(call, begun, { kind: 'tool.started', data })) ? Object.assign(call, begun) : undefined
    },

    async finish(call: ToolCall, outcome: CallOutcome, { attempts, inDoubt }: Counted = call): Promise<void> {
      const status = statusAfter({ effect: call.effect, inDoubt }, outcome)
      const ended = { httpStatus: outcome.httpStatus, result: recordedResult(outcome), endedAt: clock.now() }
      const note = outcome.kind === 'unread' && { note: outcome.text }
      const data = { callId: call.id, attempts, status, ...note }
      const isEnded = await change(call, { status, attempts, ...ended }, { kind: 'tool.finished', data })
      if (isEnded) metrics.toolCalls.inc({ effect: call.effect, outcome: status })
    },

    /**
     * The site asks a person: the call is planned again, until the answer. Returns why nobody can be asked, as the outcome of
     * the call.
     */
    async ask(call: ToolCall, { form, state, httpStatus }: Asking): Promise<CallOutcome | undefined> {
      const { id: callId, siteOrigin, tool, arguments: args } = call
      const formNumber = call.forms + 1
      if (formNumber > mostForms) return rejected(httpStatus, asksTooOften)
      const question = { formNumber, form, state }
      const toAsk = { callId, siteOrigin: siteOrigin ?? '', tool: tool ?? '', arguments: args, question }
      const waiting = { status: 'planned' as const, asksFirst: true, forms: formNumber, waitCause: 'approval' as const }
      const isAsked = await ask(call, (notBefore) => ({ ...waiting, notBefore }), toAsk)
      return isAsked ? undefined : rejected(httpStatus, noTimeToAnswer)
    },

    /**
     * The site works on the call: what it is asked by is recorded before anything waits. Returns the outcome of the call if
     * nobody can wait any longer.
     */
    async accept(call: ToolCall, { job: state, text: words, askAfter }: Accepted): Promise<CallOutcome | undefined> {
      const now = clock.now()
      const job = heard({ state, words, askAfter }, call.job, {
        now,
        until: call.job ? new Date(call.job.until) : await mayWaitUntil(call),
      })
      return wait(call, job, askAgainAt(job, now))
    },

    /** A request about the job had no usable response. Returns the outcome of the call if the site is not asked again. */
    async miss(call: ToolCall, until?: Date): Promise<CallOutcome | undefined> {
      if (!call.job) throw new Error('the site does not work on the call')
      const now = clock.now()
      const job = unheard(call.job, now)
      return wait(call, job, latest(askAgainAt(job, now), until))
    },

    /** The site refused the credential of a request about the job. */
    async refuseAsking(call: ToolCall, refusedGeneration: number): Promise<ToolCall> {
      await change(call, { refusedGeneration })
      return Object.assign(call, { refusedGeneration })
    },

    /** The attempt failed and there will be another. */
    async fail(call: ToolCall, outcome: CallOutcome): Promise<void> {
      // Nothing reached the site, so the call is planned again, whatever its effect.
      const status = outcome.kind === 'unavailable' && outcome.certain ? 'planned' : 'started'
      await change(call, { status, failedAttempt: call.attempts }, failedEvent(call, outcome))
    },

    /**
     * The site refused the attempt, so it did nothing: the call is planned again, and the attempt counted. The caller knows
     * that, although the write may be made again because its confirmation was lost.
     */
    async refuse(call: ToolCall, outcome: CallOutcome, generation: number): Promise<ToolCall> {
      const refusedGeneration = outcome.httpStatus === 401 ? generation : call.refusedGeneration
      const refusedAttempts = call.refusedAttempts + 1
      const refused = { status: 'planned' as const, refusedAttempts, failedAttempt: call.attempts, refusedGeneration }
      const isAnswer = outcome.httpStatus === 429 && refusedAttempts > maxRefused
      await change(call, refused, isAnswer ? undefined : failedEvent(call, outcome))
      return Object.assign(call, refused)
    },

    /** The call was not sent: its connection cannot be opened for now. Counted, so that this ends. */
    async countUnsent(call: ToolCall, outcome: CallOutcome): Promise<void> {
      const attempts = call.attempts + 1
      await change(call, { attempts, failedAttempt: attempts }, failedEvent({ id: call.id, attempts }, outcome))
    },

    /** The call cannot be sent now. */
    async postpone(call: ToolCall, wait: Wait): Promise<void> {
      await change(call, wait)
    },
  }
}

const asksTooOften = `The tool has asked for input more than ${mostForms} times, so nobody was asked again.`
const noTimeToAnswer = 'The tool asks for input, and there is no time left to wait for it.'

/** The outcome of a call whose site asks where nobody can be asked. */
export const rejected = (httpStatus: number, text: string): CallOutcome => ({
  kind: 'rejected',
  httpStatus,
  certain: false,
  text,
})

const failedEvent = (
  { id: callId, attempts: attempt }: Pick<ToolCall, 'id' | 'attempts'>,
  { text: message }: CallOutcome,
): CallEvent => ({ kind: 'tool.failed', data: { callId, attempt, message, willRetry: true } })
