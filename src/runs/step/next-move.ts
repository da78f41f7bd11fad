import type { Config } from '../../config/config.ts'
import { exceededBudget, hasStepLeft } from '../../loop/budgets.ts'
import { isFinal, type CallWaitCause } from '../../tools/tool-call.ts'
import type { Move, WaitCause } from '../../../workflows/messages.ts'
import type { Run } from '../run.ts'
import { cancelledAs, hasEnded, type EndReason } from '../states.ts'
import { outageTimeLeft, waitingTimeLeft, workingTimeLeft } from '../time-left.ts'
import type { CallFacts, RunRecord } from '../record.ts'
import { isOver } from '../../loop/judge.ts'

type Budgets = Config['budgets']

/**
 * The rule of a run: the record alone decides what comes next, so that every caller gets the same answer every time.
 * Cancelling goes before everything; requested calls go before the next model step.
 */
export function nextMove({ run, lastStep, calls }: RunRecord, budgets: Budgets, now: Date): Move {
  if (hasEnded(run.status)) return { kind: 'end', status: run.status as 'completed', reason: run.reason }
  if (run.cancelRequestedAt) return { kind: 'end', status: cancelledAs(run.cancelReason), reason: run.cancelReason }
  const open = calls.filter(({ status }) => !isFinal(status))
  const usedUp = exceeded(run, calls, budgets, now)
  if (open.length > 0 && !usedUp) return nextCalls(run, open, budgets, now)
  const finished =
    lastStep && !calls.some(({ step }) => step === lastStep.step) ? endAfterStep(run, lastStep) : undefined
  if (finished) return finished
  if (usedUp) return failed(usedUp)
  return hasStepLeft(run, budgets) ? { kind: 'model', step: run.steps + 1 } : failed('BUDGET_STEPS')
}

/** Calls that can be sent now go first; the run waits only if all of them must wait. */
function nextCalls(run: Run, open: CallFacts[], budgets: Budgets, now: Date): Move {
  const ready = open.filter((call) => !mustWait(call, now))
  if (ready.length > 0) {
    return { kind: 'tools', step: run.steps, calls: ready.map(({ id, tool }) => ({ callId: id, label: tool ?? '' })) }
  }
  const { cause, until } = waitOf(open)
  const left = waitingTimeLeft(run, budgets, now)
  if (left <= 0) return failed(cause === 'credential' ? 'SITE_NOT_RECONNECTED' : 'WAITED_TOO_LONG')
  const ms = until === null ? left : Math.min(until.getTime() - now.getTime(), left)
  return { kind: 'wait', cause, ms: Math.max(ms, 1) }
}

/** Whether a call may not be sent yet. If its credential is dead, no time is known at which it may. */
const mustWait = ({ waitCause, notBefore }: CallFacts, now: Date): boolean =>
  waitCause === 'credential' || (notBefore !== null && notBefore > now)

/** What a run waits for if all its calls wait: the first slot or approval, by time, or else its owner. */
export function waitOf(open: CallFacts[]): { cause: CallWaitCause; until: Date | null; site: string } {
  const timed = open.flatMap(({ waitCause: cause, notBefore: until, siteOrigin }) =>
    cause !== null && cause !== 'credential' && until !== null ? [{ cause, until, site: siteOrigin ?? '' }] : [],
  )
  const [first] = timed.toSorted((one, other) => Number(one.until) - Number(other.until))
  if (first) return first
  return { cause: 'credential', until: null, site: open[0]?.siteOrigin ?? '' }
}

/** Why a run may not make its move: for its model, since when that fails, and when it is asked again if that is known. */
interface Hold {
  cause: WaitCause
  trouble?: { since: Date; until: Date | null }
}

/**
 * Replaces a move that may not be made now: the run waits for its model or for credits as long as it may, and for the
 * end of a pause as long as that takes.
 */
export function holdBack(run: Run, { cause, trouble }: Hold, budgets: Budgets, now: Date): Move {
  if (trouble) return holdForModel(run, trouble, budgets, now)
  if (cause === 'paused') return { kind: 'wait', cause, ms: budgets.waitSeconds * 1000 }
  const left = waitingTimeLeft(run, budgets, now)
  return left > 0 ? { kind: 'wait', cause, ms: left } : failed('NO_CREDITS')
}

function holdForModel(run: Run, { since, until }: NonNullable<Hold['trouble']>, budgets: Budgets, now: Date): Move {
  const left = outageTimeLeft(run, since, budgets, now)
  if (left <= 0) return failed('MODEL_UNAVAILABLE')
  const ms = until === null ? left : Math.min(until.getTime() - now.getTime(), left)
  return { kind: 'wait', cause: 'model', ms: Math.max(ms, 1) }
}

const failed = (reason: EndReason): Move => ({ kind: 'end', status: 'failed', reason })

/** The end of a run whose last step asks for nothing; undefined if the model is asked once more. */
function endAfterStep(run: Run, { step, outcome }: NonNullable<RunRecord['lastStep']>): Move | undefined {
  const { corrections, fallbackSince } = run
  if (!isOver(outcome, { corrections, isOtherAsked: fallbackSince === step + 1 })) return undefined
  if (outcome === null) return { kind: 'end', status: 'completed', reason: null }
  return failed(outcome === 'off_schema' ? 'OUTPUT_INVALID' : 'MODEL_ERROR')
}

function exceeded(run: Run, calls: CallFacts[], budgets: Budgets, now: Date): EndReason | undefined {
  return exceededBudget(run, calls, budgets) ?? (workingTimeLeft(run, budgets, now) < 0 ? 'BUDGET_TIME' : undefined)
}
