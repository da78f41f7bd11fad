import type { Billing } from '../../billing/billing.ts'
import type { Clock } from '../../clock.ts'
import type { Database, Transaction } from '../../database/database.ts'
import type { CodedError } from '../../errors.ts'
import { isOfPrompt, mayPass, planAfter, usableModel, type Plan } from '../../loop/after-failure.ts'
import type { Cut } from '../../loop/fit-transcript.ts'
import type { Loop } from '../../loop/loop.ts'
import type { Used } from '../../loop/write-step.ts'
import type { Outages } from '../../outages/outages.ts'
import type { Move } from '../../../workflows/messages.ts'
import { lockRun, type RunRef } from '../record.ts'
import { noRounds, Run, type RunFields } from '../run.ts'
import { hasEnded } from '../states.ts'
import { append, type NewEvent } from '../timeline.ts'
import type { Attempt } from './attempt.ts'
import { changeOfModel, fallbackOf } from './fallback.ts'
import { fittedEvent } from './record-cut.ts'
import type { Next } from './write-step.ts'

/** What a failed attempt used and was charged for; nothing if the provider billed nothing. */
type Billed = (Used & { credits: number }) | undefined

/**
 * A failure and what it has used; whether the model fails everybody, undefined if the next attempt comes first; and the cut
 * with which the run can do without the answer.
 */
interface Failed {
  error: CodedError
  used: Used | undefined
  isOut: boolean | undefined
  instead: Cut | undefined
}

/** Records attempts at a step that have failed, or that were given up. */
export function createFailStep(context: {
  database: Database
  clock: Clock
  billing: Pick<Billing, 'credits'>
  loop: Pick<Loop, 'charge'>
  outages: Pick<Outages, 'isOut' | 'of'>
  next: Next
}) {
  const { database, clock, billing, loop, outages, next } = context

  async function planFor(trx: Transaction, run: Run, { model }: Attempt, failed: Failed, now: Date): Promise<Plan> {
    const { error, isOut, instead } = failed
    const fallback = isOut === undefined ? undefined : await fallbackOf(trx, run, model)
    const other = await usableModel(outages, trx, fallback)
    return planAfter(error, { isOut, isSummary: instead !== undefined, other, rounds: run.modelRounds, now })
  }

  /** What the run holds is given back, unless it is for a later attempt. */
  async function charge(trx: Transaction, run: Run, { step, attempt }: Attempt, used: Used | undefined) {
    const keepsHold = attempt < run.attempt || run.steps !== step - 1
    if (!used && !keepsHold) await billing.credits.release(trx, run.id)
    if (!used) return { billed: undefined, counters: {} }
    const { ownerId, agentId, id: runId } = run
    const of = { ownerId, agentId, runId, step, failedAttempt: attempt, keepsHold }
    const { credits, counters } = await loop.charge(trx, of, run, used)
    return { billed: { ...used, credits }, counters }
  }

  async function tell(trx: Transaction, run: Run, attempt: Attempt, given: { billed: Billed; changes: object }) {
    const now = clock.now()
    const known = { failedAttempt: attempt.attempt, failedAt: now, failure: givenUp, retryAt: null }
    const retried = { kind: 'retry', retryAt: null } as const
    const event = failedEvent(attempt, { code: 'MODEL_ERROR', message: givenUp }, given.billed, retried)
    await append(trx, run.id, now, [event], { ...given.changes, ...known })
  }

  return {
    /** Whether the model fails everybody; undefined while another attempt within a minute makes sense, or if aborted. */
    async examine(attempt: Attempt, error: CodedError, signal: AbortSignal): Promise<boolean | undefined> {
      const { model, counted, begunAt } = attempt
      if (mayPass(error, { counted, ms: clock.now().getTime() - begunAt.getTime() })) return undefined
      if (isOfPrompt(error)) return false
      return Promise.race([outages.isOut(model), whenAborted(signal)])
    },

    /**
     * Records a failed model call. Says `retry` if the same model is to be asked again at once; otherwise what comes next:
     * the agent's fallback model if it has one, else a wait, or the end if the model answers anything but this prompt. A
     * summary can be done without: then the run goes on with the given cut.
     */
    async note(ref: RunRef, attempt: Attempt, failed: Failed): Promise<Move | 'retry'> {
      const { error, used } = failed
      return database.transaction(async (trx) => {
        const run = await lockRun(trx, ref)
        // Too late: the step was recorded, or the run ended, while this attempt was failing.
        if (run.steps !== attempt.step - 1 || hasEnded(run.status)) return next(trx, run)
        const now = clock.now()
        const plan = await planFor(trx, run, attempt, failed, now)
        // A late failure says nothing about the attempt that was begun since.
        const known = { failedAttempt: attempt.attempt, failedAt: now, failure: error.message }
        const { billed, counters } = await charge(trx, run, attempt, used)
        const changes = {
          ...counters,
          ...(attempt.attempt < run.attempt
            ? {}
            : { ...known, ...idleFor(run, now.getTime() - attempt.begunAt.getTime()) }),
          ...changesOf(plan, run, attempt, failed, now),
        }
        await append(
          trx,
          run.id,
          now,
          [failedEvent(attempt, error, billed, plan), ...eventsOf(plan, attempt, failed)],
          changes,
        )
        if (plan.kind === 'retry') return 'retry'
        Object.assign(run, changes)
        return plan.kind === 'end' ? { kind: 'end', status: 'failed', reason: 'MODEL_ERROR' } : next(trx, run)
      })
    },

    /**
     * Records that an attempt was given up, and what it has used: its worker stops or was cut off from Temporal, or its
     * run is cancelled. It does not count toward the attempts of its step, even if the next one has begun.
     */
    async giveUp(ref: RunRef, attempt: Attempt, used: Used | undefined): Promise<void> {
      await database.transaction(async (trx) => {
        const run = await lockRun(trx, ref)
        // The last attempts count; those of an earlier round do not any more.
        const counts = run.steps === attempt.step - 1 && attempt.attempt > run.attempt - run.stepAttempts
        const { billed, counters } = await charge(trx, run, attempt, used)
        const changes = { ...counters, ...(counts && { stepAttempts: run.stepAttempts - 1 }) }
        const isLast = counts && attempt.attempt === run.attempt
        if (billed && isLast && !hasEnded(run.status)) await tell(trx, run, attempt, { billed, changes })
        else if (billed || counts) await Run.query(trx).findById(run.id).patch(changes)
      })
    },
  }
}

const givenUp =
  'The model call was aborted because its worker was stopped or cut off from Temporal, or the run was cancelled.'

/** What a model has taken to fail is no work of the run, and no wait for its owner. */
const idleFor = ({ waitedMs, outageMs }: Run, ms: number) => ({ waitedMs: waitedMs + ms, outageMs: outageMs + ms })

const whenAborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })

/** What a plan changes in the run's row. */
function changesOf(
  plan: Plan,
  run: Run,
  { step, attempt }: Attempt,
  { instead }: Failed,
  now: Date,
): Partial<RunFields> {
  const anew = { ...noRounds, retryAt: null, stepAttempts: 0 }
  if (plan.kind === 'retry') return attempt < run.attempt ? {} : { retryAt: plan.retryAt }
  if (plan.kind === 'other') return { ...anew, fallbackSince: step, ownModelWasOut: plan.isOut, corrections: 0 }
  if (plan.kind === 'cut') return { ...anew, ...instead?.cuts }
  if (plan.kind === 'end') return { retryAt: null }
  if (plan.retryAt === null) return anew
  const modelFailingSince = run.modelFailingSince ?? now
  return { ...anew, modelRounds: run.modelRounds + 1, modelFailingSince, modelRetryAt: plan.retryAt }
}

function eventsOf(plan: Plan, { step, model: from }: Attempt, { instead }: Failed): NewEvent[] {
  if (plan.kind === 'cut') return instead ? [fittedEvent(step, instead, { isSummarized: false })] : []
  const to = plan.kind === 'other' ? plan.model : undefined
  return changeOfModel({ step, from, to, note: 'The model failed.' })
}

function failedEvent(
  { step, attempt, model }: Attempt,
  { code, message }: Pick<CodedError, 'code' | 'message'>,
  billed: Billed,
  plan: Plan,
): NewEvent {
  const retryAt = 'retryAt' in plan ? plan.retryAt : null
  const used = billed && {
    inputTokens: billed.inputTokens,
    outputTokens: billed.outputTokens,
    credits: billed.credits,
    ...(billed.cachedTokens > 0 && { cachedTokens: billed.cachedTokens }),
    costUsd: billed.cost ? billed.cost.nanoUsd / 1e9 : null,
  }
  const data = {
    step,
    attempt,
    model,
    code,
    message,
    willRetry: plan.kind !== 'end',
    ...used,
  }
  return { kind: 'step.failed', data: { ...data, ...(retryAt && { retryAt: retryAt.toISOString() }) } }
}
