import { latest, later } from '../../clock.ts'
import type { OpenExecution, OperatorsEnd, Polls } from '../../temporal/inspection.ts'
import { cancelledAs } from '../states.ts'
import type { Action } from './action.ts'
import type { AgentFacts } from './facts.ts'

/** Temporal's state of an agent. Null means closed or unknown. */
export interface TemporalState {
  queue: OpenExecution | null
  /** The workflow of the begun run. */
  workflow: OpenExecution | null
  /** How an operator ended that workflow, if it is closed. */
  endedBy: OperatorsEnd | null
  /** Whether workers poll (otherwise no progress is normal), and how far they have got. */
  polls: Polls
}

/** Longest time between checks of a waiting run, in seconds: Temporal may have lost it. */
export const longestRest = 300

/** Longest time before an execution is replaced again, in seconds. */
const longestPatience = 600

/** Longest time between checks of a working agent, in seconds. */
const longestPause = 30

/** The attempt from which a workflow task counts as failing. */
const failingAttempts = 3

/**
 * What a stalled agent needs. The record decides what to do; Temporal only shows what it has. An agent is left alone
 * while something may continue automatically: a long model call, or a task waiting for a worker.
 */
export function diagnose(facts: AgentFacts, seen: TemporalState, stallSeconds: number): Action {
  const { head } = facts
  const { queue, workflow, endedBy } = seen
  const stuck = (execution: OpenExecution, shouldWork: boolean) =>
    whyStuck(execution, { facts, polls: seen.polls, stallSeconds, shouldWork })
  if (head && !workflow && endedBy) return endedByOperator(head, endedBy)
  if (!queue && !workflow) return missing(facts)
  const cause =
    (workflow && named('the run', stuck(workflow, isAtWork(facts)))) ??
    (!workflow && queue && (lostChild(facts, queue) ?? named('the queue', stuck(queue, true))))
  if (cause) return { kind: 'restart', cause }
  return { kind: 'leave', until: lookAgainAt(facts, stallSeconds) }
}

/** Checks again at growing intervals of at most half a minute; less often during a wait, but when it ends. */
function lookAgainAt(facts: AgentFacts, stallSeconds: number): Date {
  const { now, head } = facts
  if (isAtWork(facts) || !head?.waitingUntil) {
    return later(now, Math.max(Math.min(secondsWithoutProgress(facts), longestPause), stallSeconds))
  }
  const [overAt, restedAt] = [later(head.waitingUntil, stallSeconds), later(now, longestRest)]
  return overAt < restedAt ? overAt : restedAt
}

/** Temporal has nothing left. A begun run needs a new epoch; queued runs need a queue workflow. */
const missing = ({ head }: AgentFacts): Action =>
  head
    ? { kind: 'restart', cause: 'neither the run nor its queue has an open workflow' }
    : { kind: 'start', cause: 'the agent has queued runs, but its queue has no open workflow' }

function endedByOperator({ id: runId, cancelReason }: NonNullable<AgentFacts['head']>, endedBy: OperatorsEnd): Action {
  const cause = `it was ${endedBy} in Temporal`
  if (endedBy === 'terminated')
    return { kind: 'end', runId, status: 'failed', reason: 'TERMINATED', repair: 'end-run', cause }
  const reason = cancelReason ?? 'CANCELLED_BY_OPERATOR'
  return { kind: 'end', runId, status: cancelledAs(cancelReason), reason, repair: 'end-run', cause }
}

/** The queue waits for a closed workflow or an ended run, or the execution that claimed the run is gone. */
function lostChild({ head, queue: { claimedBy } }: AgentFacts, queue: OpenExecution): string | undefined {
  if (queue.foreign) return undefined
  if (queue.children.length > 0)
    return "the queue is waiting for a run's workflow that is closed or unknown to Temporal"
  if (head && claimedBy !== queue.executionId) return 'the queue execution that claimed the run no longer exists'
  return undefined
}

/** A waiting run rests until its wait is over. */
const isAtWork = ({ now, head }: AgentFacts): boolean =>
  head !== null && (head.status === 'running' || (head.waitingUntil !== null && head.waitingUntil < now))

const named = (what: string, why: string | undefined): string | undefined =>
  why && `${what}'s workflow is open, but ${why}`

interface Situation {
  facts: AgentFacts
  polls: Polls
  stallSeconds: number
  shouldWork: boolean
}

/** Why the execution will not resume automatically, or undefined while it may. */
function whyStuck(execution: OpenExecution, { facts, polls, stallSeconds, shouldWork }: Situation): string | undefined {
  const { isBusy, foreign, attempts, isIdle } = execution
  if (!polls.isPolled || !isPatienceOver(facts, execution, stallSeconds)) return undefined
  // A call in progress belongs to the run only in a workflow of our type.
  if (isBusy && foreign !== 'type') return undefined
  if (foreign) return `it has a different ${foreign}`
  if (attempts >= failingAttempts) return `its workflow task has failed ${attempts - 1} times`
  if (isPassedOver(execution, polls, stallSeconds)) return 'no worker has picked up its workflow task'
  return shouldWork && isIdle ? 'it is idle' : undefined
}

/** Workers got tasks much newer than its own. Workers that are merely behind do not count. */
const isPassedOver = ({ waitsSince }: OpenExecution, { servedUntil }: Polls, stallSeconds: number): boolean =>
  waitsSince !== null && servedUntil !== null && later(waitsSince, stallSeconds) <= servedUntil

/** Last progress in the record. Repairs do not count. */
const progressedAt = ({ queue, head }: AgentFacts): Date => latest(queue.progressedAt, head?.progressedAt)

const secondsWithoutProgress = (facts: AgentFacts): number =>
  (facts.now.getTime() - progressedAt(facts).getTime()) / 1000

/**
 * A replacement execution gets as long as its predecessors together made no progress. A broken deployment is thus
 * retried at doubling intervals, without extra state.
 */
function isPatienceOver(facts: AgentFacts, { startedAt }: OpenExecution, stallSeconds: number): boolean {
  const since = progressedAt(facts)
  const before = (startedAt.getTime() - since.getTime()) / 1000
  const patience = Math.min(Math.max(before, stallSeconds), longestPatience)
  return later(latest(startedAt, since), patience) <= facts.now
}
