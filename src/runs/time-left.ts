import type { Config } from '../config/config.ts'
import type { Run } from './run.ts'

type Budgets = Config['budgets']

/** How much longer the run may wait, in milliseconds, after what it has waited already. What does not use that up does not count. */
export function waitingTimeLeft(run: Run, budgets: Budgets, now: Date): number {
  const currentMs = isUncounted(run.waitingCause) ? 0 : currentWaitMs(run, now)
  return budgets.waitSeconds * 1000 - (run.waitedMs - run.outageMs) - currentMs
}

/** An outage of the model has its own end, and a pause has none. */
export const isUncounted = (cause: Run['waitingCause']): boolean => cause === 'model' || cause === 'paused'

/** How much longer the run may wait for its model, in milliseconds: from when that failed, or the run began after that. */
export function outageTimeLeft(
  { startedAt }: Pick<Run, 'startedAt'>,
  since: Date,
  budgets: Budgets,
  now: Date,
): number {
  const wholeMs = budgets.waitSeconds * 1000
  const isLater = startedAt !== null && startedAt.getTime() > since.getTime() + wholeMs
  return (isLater ? startedAt : since).getTime() + wholeMs - now.getTime()
}

/** How much longer the run may work, in milliseconds. Waits do not count, nor what holds it up from outside. */
export function workingTimeLeft(run: Run, budgets: Budgets, now: Date): number {
  const idleMs = run.waitedMs + currentWaitMs(run, now) + heldUpMs(run, budgets, now)
  const busyMs = run.startedAt ? now.getTime() - run.startedAt.getTime() - idleMs : 0
  return budgets.minutes * 60_000 - busyMs
}

/** How long the current wait has lasted, in milliseconds. */
export const currentWaitMs = ({ waitingSince }: Pick<Run, 'waitingSince'>, now: Date): number =>
  waitingSince ? Math.max(0, now.getTime() - waitingSince.getTime()) : 0

/**
 * How long the run has been held up since its last progress, in milliseconds: its provider has named a time before which
 * it may not be asked again, or there is no place for what comes next. It counts as waiting, as long as the run may wait;
 * whoever begins what comes next adds it to `waitedMs`.
 */
export function heldUpMs(run: Run, budgets: Budgets, now: Date): number {
  const { failedAt, retryAt, failedAttempt, attempt, noPlaceSince, progressedAt } = run
  const isPaused = failedAt !== null && retryAt !== null && failedAttempt === attempt
  const pauseEnd = isPaused ? Math.min(now.getTime(), retryAt.getTime()) : 0
  const pauseMs = isPaused ? Math.max(0, pauseEnd - failedAt.getTime()) : 0
  const hasNoPlace = noPlaceSince !== null && noPlaceSince >= progressedAt
  const placeMs = hasNoPlace ? now.getTime() - Math.max(noPlaceSince.getTime(), pauseEnd) : 0
  return Math.min(pauseMs + Math.max(0, placeMs), Math.max(0, waitingTimeLeft(run, budgets, now)))
}
