import type { Config } from '../config/config.ts'
import type { Run } from './run.ts'

type Budgets = Config['budgets']

/** How much longer the run may wait, in milliseconds, after what it has waited already. */
export function waitingTimeLeft(run: Run, budgets: Budgets, now: Date): number {
  return budgets.waitSeconds * 1000 - run.waitedMs - currentWaitMs(run, now)
}

/** How much longer the run may work, in milliseconds. Waits do not count; pauses between attempts do. */
export function workingTimeLeft(run: Run, budgets: Budgets, now: Date): number {
  const busyMs = run.startedAt ? now.getTime() - run.startedAt.getTime() - run.waitedMs - currentWaitMs(run, now) : 0
  return budgets.minutes * 60_000 - busyMs
}

/** How long the current wait has lasted, in milliseconds. */
export const currentWaitMs = ({ waitingSince }: Pick<Run, 'waitingSince'>, now: Date): number =>
  waitingSince ? Math.max(0, now.getTime() - waitingSince.getTime()) : 0
