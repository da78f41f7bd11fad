import type { OpenExecution, Polls } from '../temporal-inspection.ts'

/** The longest that is waited before an execution is given up again, in milliseconds. */
const longestPatienceMs = 10 * 60_000

/** So many times must a workflow task have been tried before it counts as failing. */
const failingAttempts = 3

/** An agent of which the record says that there is something to do, and that nothing has happened for a while. */
export interface Standstill {
  now: Date
  /** The last thing that happened in the record; repairs do not count. */
  since: Date
  /** How long a new execution is given at least, in milliseconds. */
  patienceMs: number
  /** The run that the record says is under way, and whether it is at work; one that waits may rest. */
  run: { isAtWork: boolean } | null
  hasQueued: boolean
  /** What Temporal has; null is what is closed, or unknown to it. */
  queue: OpenExecution | null
  workflow: OpenExecution | null
  /** The run that the queue waits for, whether it has ended in the record, and its workflow. */
  child: { hasEnded: boolean; workflow: OpenExecution | null } | null
  /** Whether there are workers at all; without any, everything stands still rightly. And how far they have come. */
  polls: Polls
}

/**
 * `wake`: the queue is told to look at the record. `end-child`: the workflow that the queue waits for is ended.
 * `restart-queue`: the queue's workflow is ended and begun anew. `restart-run`: the run's too. Where a run is under way,
 * both begin with the record's not listening to its executions any more.
 */
export type RepairKind = 'wake' | 'end-child' | 'restart-queue' | 'restart-run'

export interface Repair {
  kind: RepairKind
  /** What was found, in words, for the log and the run's timeline. */
  cause: string
}

/**
 * The rule of the reconciler: what an agent needs that stands still, or null when it stands still rightly (a long model
 * call, no worker). The record decides what there is to do; Temporal says only what it has. One row a ghost, the first
 * that fits.
 */
export function repairOf(standstill: Standstill): Repair | null {
  const { run, hasQueued, queue, workflow, child } = standstill
  const why = run && workflow ? stuck(standstill, workflow, run.isAtWork) : undefined
  if (why) return { kind: 'restart-run', cause: `the run's workflow is open, but ${why}` }
  if (!queue) return run || hasQueued ? { kind: 'wake', cause: wakeCause(standstill) } : null
  if (child?.hasEnded && child.workflow) return { kind: 'end-child', cause: causes.endedChild }
  if (child && !child.workflow) return { kind: 'restart-queue', cause: causes.lostChild }
  // One that goes on although its queue is not ours belongs to a deployment with another task queue.
  if (workflow?.isBusy || ((child || workflow) && !queue.foreign)) return null
  const queueWhy = run || hasQueued ? stuck(standstill, queue, true) : undefined
  return queueWhy ? { kind: 'restart-queue', cause: `the queue's workflow is open, but ${queueWhy}` } : null
}

const causes = {
  endedChild: "the queue waits for a run's workflow although that run has ended",
  lostChild: "the queue waits for a run's workflow that is closed in Temporal, or that Temporal does not know",
} as const

function wakeCause({ run, workflow }: Standstill): string {
  if (!run) return 'the agent has queued runs, but its queue has no open workflow'
  return workflow ? 'the queue has no open workflow' : 'neither the run nor its queue has an open workflow'
}

/** Why the execution will not go on by itself, or undefined while it may. */
function stuck(standstill: Standstill, execution: OpenExecution, shouldWork: boolean): string | undefined {
  const { isBusy, foreign, attempts, isIdle } = execution
  if (!standstill.polls.isPolled || !hasHadItsTime(standstill, execution)) return undefined
  // A call that goes on is only ever the run's in a workflow of our type.
  if (isBusy && foreign !== 'type') return undefined
  if (foreign) return `it is none of ours: it has another ${foreign}`
  if (attempts >= failingAttempts) return `its workflow task was tried ${attempts - 1} times in vain`
  if (isForgotten(standstill, execution)) return 'no worker is given its workflow task'
  return shouldWork && isIdle ? 'nothing is under way in it' : undefined
}

/** Workers have been given what came long after its task. Those who cannot keep up are not meant. */
function isForgotten({ polls: { servedUntil }, patienceMs }: Standstill, { waitsSince }: OpenExecution): boolean {
  return waitsSince !== null && servedUntil !== null && servedUntil.getTime() - waitsSince.getTime() >= patienceMs
}

/**
 * An execution that took over from others is given as long as all of them have stood still together, so that a
 * deployment which is bad for good is tried at doubling intervals. Nothing has to be remembered for that.
 */
function hasHadItsTime({ now, since, patienceMs }: Standstill, { startedAt }: OpenExecution): boolean {
  const before = startedAt.getTime() - since.getTime()
  const patience = Math.min(Math.max(before, patienceMs), longestPatienceMs)
  return now.getTime() - Math.max(startedAt.getTime(), since.getTime()) >= patience
}
