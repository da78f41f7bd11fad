import type { Config } from '../config/config.ts'
import type { Run } from './run.ts'

type Budgets = Config['budgets']

/** How much longer the run may wait, in milliseconds. Uncounted waits are excluded. */
export function waitingTimeLeft(run: Run, budgets: Budgets, now: Date): number {
  const currentMs = isUncounted(run.waitingCause) ? 0 : currentWaitMs(run, now)
  return budgets.waitSeconds * 1000 - (run.waitedMs - run.outageMs) - currentMs
}

/**
 * How long the run may wait for an approval, in milliseconds; 0 if less than a minute is left, or half of a short limit,
 * because no one could decide in that time.
 */
export function askingTimeLeft(run: Run, budgets: Budgets, now: Date): number {
  const left = waitingTimeLeft(run, budgets, now)
  return left < Math.min(60_000, budgets.waitSeconds * 500) ? 0 : left
}

/** A model outage has its own limit, and a pause has none. */
export const isUncounted = (cause: Run['waitingCause']): boolean => cause === 'model' || cause === 'paused'

/** How much longer the run may wait for its model, in milliseconds, from the failure or, if later, its own start. */
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

/** How much longer the run may work, in milliseconds. Waits and external delays do not count. */
export function workingTimeLeft(run: Run, budgets: Budgets, now: Date): number {
  const idleMs = run.waitedMs + currentWaitMs(run, now) + heldUpMs(run, budgets, now) + abandonedMs(run, budgets, now)
  const busyMs = run.startedAt ? now.getTime() - run.startedAt.getTime() - idleMs : 0
  return budgets.minutes * 60_000 - busyMs
}

/** How long the current wait has lasted, in milliseconds. */
export const currentWaitMs = ({ waitingSince }: Pick<Run, 'waitingSince'>, now: Date): number =>
  waitingSince ? Math.max(0, now.getTime() - waitingSince.getTime()) : 0

/**
 * How long the run has been held up since its last progress, in milliseconds: its provider named a retry time, or no
 * place is free. It counts as waiting, up to the run's limit. Starting the next work adds it to `waitedMs`.
 */
export const heldUpMs = (run: Run, budgets: Budgets, now: Date): number =>
  Math.min(namedDelayMs(run, now), Math.max(0, waitingTimeLeft(run, budgets, now)))

function namedDelayMs(run: Run, now: Date): number {
  const { failedAt, retryAt, failedAttempt, attempt, noPlaceSince, progressedAt } = run
  const isPaused = failedAt !== null && retryAt !== null && failedAttempt === attempt
  const pauseEnd = isPaused ? Math.min(now.getTime(), retryAt.getTime()) : 0
  const pauseMs = isPaused ? Math.max(0, pauseEnd - failedAt.getTime()) : 0
  const hasNoPlace = noPlaceSince !== null && noPlaceSince >= progressedAt
  const placeMs = hasNoPlace ? now.getTime() - Math.max(noPlaceSince.getTime(), pauseEnd) : 0
  return pauseMs + Math.max(0, placeMs)
}

/**
 * How long nobody has worked on the run since its last progress, in milliseconds: Postgres, Temporal or all workers were
 * away. That is so if nothing was recorded for longer than any work takes; what is recorded sooner counts as work.
 */
export function abandonedMs(run: Run, { longestWorkSeconds }: Budgets, now: Date): number {
  if (run.startedAt === null || run.waitingSince !== null) return 0
  const ms = now.getTime() - run.progressedAt.getTime() - namedDelayMs(run, now)
  return ms > longestWorkSeconds * 1000 ? ms : 0
}
