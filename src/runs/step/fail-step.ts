import type { Billing } from '../../billing/billing.ts'
import { costWith, stepCredits } from '../../billing/prices.ts'
import { later, type Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import type { Database, Transaction } from '../../database/database.ts'
import type { CodedError } from '../../errors.ts'
import { ModelError } from '../../models/failures.ts'
import type { Models } from '../../models/models.ts'
import type { Usage } from '../../models/usage.ts'
import type { Move } from '../../../workflows/messages.ts'
import { lockRun, type RunRef } from '../record.ts'
import { Run } from '../run.ts'
import { hasEnded } from '../states.ts'
import { waitingTimeLeft, workingTimeLeft } from '../time-left.ts'
import { append, type NewEvent } from '../timeline.ts'
import { maxAttempts, type Attempt } from './attempt.ts'
import { changeOfModel, fallbackOf } from './fallback.ts'
import type { Cut } from './fit-transcript.ts'
import type { Next } from './write-step.ts'

/** What a failed attempt used, and what it cost. */
type Billed = Usage & { credits: number; cost: Awaited<ReturnType<Models['costOf']>> }

/**
 * What follows a failure: the same model is asked again, perhaps not before a time, or another one, or the run goes on
 * without the summary that was asked for, or it ends.
 */
interface Plan {
  isRetried: boolean
  retryAt: Date | null
  other: string | undefined
  cut: Cut | undefined
}

/** A failure, and the cut with which the run can do without the answer. */
interface Failed {
  error: CodedError
  instead: Cut | undefined
  now: Date
}

/** Records attempts at a step that have failed, or that were given up. */
export function createFailStep(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'creditUsd' | 'budgets'>
  billing: Billing
  models: Pick<Models, 'costOf'>
  next: Next
}) {
  const { database, clock, config, billing, models, next } = context

  /** Providers bill what they have read and written, also if the answer is of no use. */
  async function billedFor({ model }: Attempt, error: CodedError): Promise<Billed | undefined> {
    const usage = error instanceof ModelError ? error.usage : undefined
    return usage && billedAs({ model }, usage)
  }

  async function billedAs({ model }: Pick<Attempt, 'model'>, usage: Usage): Promise<Billed> {
    const cost = await models.costOf(model, usage)
    return { ...usage, cost, credits: stepCredits({ ...usage, nanoUsd: cost?.nanoUsd }, config.creditUsd) }
  }

  /** A pause that is longer than the run may work helps nobody who has another model. */
  async function planAfter(trx: Transaction, run: Run, attempt: Attempt, failed: Failed): Promise<Plan> {
    const { error, instead, now } = failed
    const mayPass = error.retryable && attempt.counted < maxAttempts
    // If the provider named no time, the retry comes within seconds.
    const retryAt = mayPass && error.retryAfter ? later(now, error.retryAfter) : null
    const pauseMs = retryAt ? retryAt.getTime() - now.getTime() : 0
    if (mayPass && pauseMs <= workingTimeLeft(run, config.budgets, now)) return { ...retried, retryAt }
    if (instead) return { ...retried, isRetried: false, cut: instead }
    const other = await fallbackOf(trx, run, attempt.model)
    if (other !== undefined) return { ...retried, isRetried: false, other }
    const isRetried = mayPass && pauseMs <= waitingTimeLeft(run, config.budgets, now)
    return { ...retried, isRetried, retryAt: isRetried ? retryAt : null }
  }

  /** What the run holds is given back, unless it is for a later attempt. */
  async function charge(trx: Transaction, run: Run, { step, attempt }: Attempt, billed: Billed | undefined) {
    const keepsHold = attempt < run.attempt || run.steps !== step - 1
    if (!billed && !keepsHold) await billing.credits.release(trx, run.id)
    if (!billed) return {}
    const { credits, cost } = billed
    const { ownerId, agentId } = run
    const of = { ownerId, agentId, runId: run.id, step, failedAttempt: attempt, keepsHold }
    await billing.credits.chargeStep(trx, { ...of, credits, cost })
    return {
      inputTokens: run.inputTokens + billed.inputTokens,
      outputTokens: run.outputTokens + billed.outputTokens,
      credits: run.credits + credits,
      ...(billed.cachedTokens > 0 && { cachedTokens: (run.cachedTokens ?? 0) + billed.cachedTokens }),
      costNanoUsd: costWith(run.costNanoUsd, cost),
    }
  }

  async function tell(trx: Transaction, run: Run, attempt: Attempt, given: { billed: Billed; changes: object }) {
    const now = clock.now()
    const known = { failedAttempt: attempt.attempt, failedAt: now, failure: givenUp, retryAt: null }
    const event = failedEvent(attempt, { code: 'MODEL_ERROR', message: givenUp }, given.billed, retried)
    await append(trx, run.id, now, [event], { ...given.changes, ...known })
  }

  return {
    /**
     * Records a failed model call. Says `retry` if the same model is to be asked again; otherwise what comes next, which
     * is the agent's fallback model if it has one, and else the end. A summary can be done without: then the run goes on
     * with the given cut.
     */
    async note(ref: RunRef, attempt: Attempt, error: CodedError, instead?: Cut): Promise<Move | 'retry'> {
      const billed = await billedFor(attempt, error)
      return database.transaction(async (trx) => {
        const run = await lockRun(trx, ref)
        // Too late: the step was recorded, or the run ended, while this attempt was failing.
        if (run.steps !== attempt.step - 1 || hasEnded(run.status)) return next(trx, run)
        const now = clock.now()
        const plan = await planAfter(trx, run, attempt, { error, instead, now })
        const { other, cut } = plan
        // A late failure says nothing about the attempt that was begun since.
        const known = { failedAttempt: attempt.attempt, failedAt: now, failure: error.message }
        const changes = {
          ...(await charge(trx, run, attempt, billed)),
          ...(attempt.attempt < run.attempt ? {} : { ...known, retryAt: plan.retryAt }),
          ...(other !== undefined && { fallbackSince: attempt.step, stepAttempts: 0, corrections: 0 }),
          ...(cut && { ...cut.changes, stepAttempts: 0 }),
        }
        const events = [
          failedEvent(attempt, error, billed, plan),
          ...changeOfModel({ step: attempt.step, from: attempt.model, to: other, note: 'The model failed.' }),
        ]
        if (cut) events.push(cut.event)
        await append(trx, run.id, now, events, changes)
        if (plan.isRetried) return 'retry'
        Object.assign(run, changes)
        return other === undefined && !cut ? { kind: 'end', status: 'failed', reason: 'MODEL_ERROR' } : next(trx, run)
      })
    },

    /**
     * Records that an attempt was given up, because its worker stops or its run is cancelled, and what it has used. It
     * does not count as a failed one, unless the next one has begun or the step is recorded.
     */
    async giveUp(ref: RunRef, attempt: Attempt, usage: Usage | undefined): Promise<void> {
      const billed = usage && (await billedAs(attempt, usage))
      await database.transaction(async (trx) => {
        const run = await lockRun(trx, ref)
        const isCurrent = run.steps === attempt.step - 1 && run.stepAttempts === attempt.counted
        const charged = await charge(trx, run, attempt, billed)
        const changes = { ...charged, ...(isCurrent && { stepAttempts: attempt.counted - 1 }) }
        if (billed && isCurrent && !hasEnded(run.status)) await tell(trx, run, attempt, { billed, changes })
        else if (billed || isCurrent) await Run.query(trx).findById(run.id).patch(changes)
      })
    },
  }
}

const givenUp = 'The call was given up before its answer was complete: its worker was stopped, or the run cancelled.'

const retried: Plan = { isRetried: true, retryAt: null, other: undefined, cut: undefined }

function failedEvent(
  { step, attempt, model }: Attempt,
  { code, message }: Pick<CodedError, 'code' | 'message'>,
  billed: Billed | undefined,
  { isRetried, retryAt, other, cut }: Plan,
): NewEvent {
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
    willRetry: isRetried || other !== undefined || cut !== undefined,
    ...used,
  }
  return { kind: 'step.failed', data: { ...data, ...(retryAt && { retryAt: retryAt.toISOString() }) } }
}
