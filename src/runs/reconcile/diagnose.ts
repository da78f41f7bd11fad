import { latest, later } from '../../clock.ts'
import type { OpenExecution, OperatorsEnd, Polls } from '../../temporal/inspection.ts'
import { cancelledAs } from '../states.ts'
import type { Action } from './action.ts'
import type { AgentFacts } from './facts.ts'

/** What Temporal has of an agent; null is what is closed, or unknown to it. */
export interface Seen {
  queue: OpenExecution | null
  /** The workflow of the run that has begun. */
  workflow: OpenExecution | null
  /** How an operator has ended that workflow, if it is closed. */
  endedBy: OperatorsEnd | null
  /** Whether there are workers at all; without any, everything stands still rightly. And how far they have come. */
  polls: Polls
}

/** The longest that something which waits is left alone, in seconds: all that Temporal knew of it may be lost. */
export const longestRest = 300

/** The longest that an execution is given before it is given up again, in seconds. */
const longestPatience = 600

/** The longest between two looks at something that is at work, in seconds. */
const longestPause = 30

/** So many times a workflow task must have been tried before it counts as failing. */
const failingAttempts = 3

/**
 * What a stalled agent needs. The record decides what there is to do, Temporal says only what it has of it. An agent is
 * left alone while something of it may go on by itself: a long model call, a task that waits for a worker.
 */
export function diagnose(facts: AgentFacts, seen: Seen, stallSeconds: number): Action {
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

/** At growing intervals, of half a minute at most; more rarely at what waits, but when its time is over. */
function lookAgainAt(facts: AgentFacts, stallSeconds: number): Date {
  const { now, head } = facts
  if (isAtWork(facts) || !head?.waitingUntil) {
    return later(now, Math.max(Math.min(standingSeconds(facts), longestPause), stallSeconds))
  }
  const [overAt, restedAt] = [later(head.waitingUntil, stallSeconds), later(now, longestRest)]
  return overAt < restedAt ? overAt : restedAt
}

/** Nothing is left in Temporal: a run that has begun needs another epoch, queued ones a queue. */
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

/** The queue waits for a workflow that is gone, or for a run that has ended; or who has claimed the run is gone. */
function lostChild({ head, queue: { claimedBy } }: AgentFacts, queue: OpenExecution): string | undefined {
  if (queue.foreign) return undefined
  if (queue.children.length > 0)
    return "the queue waits for a run's workflow that is over, or that Temporal does not know"
  if (head && claimedBy !== queue.executionId) return 'the execution of the queue that had claimed the run is gone'
  return undefined
}

/** A run that waits may rest until the time is over. */
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

/** Why the execution will not go on by itself, or undefined while it may. */
function whyStuck(execution: OpenExecution, { facts, polls, stallSeconds, shouldWork }: Situation): string | undefined {
  const { isBusy, foreign, attempts, isIdle } = execution
  if (!polls.isPolled || !hasHadItsTime(facts, execution, stallSeconds)) return undefined
  // A call that goes on is only ever the run's in a workflow of our type.
  if (isBusy && foreign !== 'type') return undefined
  if (foreign) return `it is none of ours: it has another ${foreign}`
  if (attempts >= failingAttempts) return `its workflow task was tried ${attempts - 1} times in vain`
  if (isForgotten(execution, polls, stallSeconds)) return 'no worker is given its workflow task'
  return shouldWork && isIdle ? 'nothing is under way in it' : undefined
}

/** Workers have been given what came long after its task. Those who cannot keep up are not meant. */
const isForgotten = ({ waitsSince }: OpenExecution, { servedUntil }: Polls, stallSeconds: number): boolean =>
  waitsSince !== null && servedUntil !== null && later(waitsSince, stallSeconds) <= servedUntil

/** The last thing that happened in the record. Repairs do not count. */
const progressedAt = ({ queue, head }: AgentFacts): Date => latest(queue.progressedAt, head?.progressedAt)

const standingSeconds = (facts: AgentFacts): number => (facts.now.getTime() - progressedAt(facts).getTime()) / 1000

/**
 * An execution that took over from others is given as long as all of them have stood still together, so that a
 * deployment which is bad for good is tried at doubling intervals. Nothing has to be remembered for that.
 */
function hasHadItsTime(facts: AgentFacts, { startedAt }: OpenExecution, stallSeconds: number): boolean {
  const since = progressedAt(facts)
  const before = (startedAt.getTime() - since.getTime()) / 1000
  const patience = Math.min(Math.max(before, stallSeconds), longestPatience)
  return later(latest(startedAt, since), patience) <= facts.now
}
