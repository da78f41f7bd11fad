import { nextGrantAt } from '../../billing/account-status.ts'
import { earliest, later, latest } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import { blockOf, isBlockBounded, reasonOfBlock } from '../queue/blocked.ts'
import { cancelledAs } from '../states.ts'
import type { Action } from './action.ts'
import { diagnose, longestRest, type TemporalState } from './diagnose.ts'
import { mayHaveFreedCalls, type AgentFacts } from './facts.ts'

/** Durations of the rule, in seconds. */
export interface ReconcileSettings {
  stallSeconds: number
  cancelSeconds: number
  queueBlockedSeconds: number
}

export const settingsOf = (config: Config): ReconcileSettings => ({
  stallSeconds: config.reconcile.stallSeconds,
  cancelSeconds: config.cancelSeconds,
  queueBlockedSeconds: config.queueBlockedSeconds,
})

/**
 * The rule of the reconciler and of `why`: the facts alone decide what an agent needs. Only a stalled agent is compared
 * with `seen`, its state in Temporal.
 */
export function nextAction(facts: AgentFacts, settings: ReconcileSettings, seen?: TemporalState): Action {
  const forcedAt = forcedAtOf(facts, settings)
  if (forcedAt && forcedAt <= facts.now) return forceCancel(facts, settings)
  const action = actionUntilForced(facts, settings, seen)
  return action.kind === 'leave' ? { ...action, until: earliest(action.until, forcedAt) } : action
}

/** When the agent's run is force-ended; null without a cancel request. */
export const forcedAtOf = ({ head }: AgentFacts, { cancelSeconds }: Pick<ReconcileSettings, 'cancelSeconds'>) =>
  head?.cancelRequestedAt ? later(head.cancelRequestedAt, cancelSeconds) : null

function actionUntilForced(facts: AgentFacts, settings: ReconcileSettings, seen?: TemporalState): Action {
  const { now, agent, queue, head, next } = facts
  if (facts.contradiction) return { kind: 'correct', cause: facts.contradiction }
  if (agent.deletedAt && facts.uncancelled > 0) return { kind: 'cancel' }
  if (!head && !next) return { kind: 'rest' }
  if (!head && queue.blockedCause && !queue.awake) return unblock(facts, settings)
  if (head && isWaitOver(facts)) return { kind: 'resume', runId: head.id }
  const stalled = stalledAt(facts, settings)
  if (now < stalled) return { kind: 'leave', until: stalled }
  return seen ? diagnose(facts, seen, settings.stallSeconds) : { kind: 'inspect' }
}

/** Defines "stalled": when an agent without further progress is stalled. */
function stalledAt({ now, queue, head }: AgentFacts, { stallSeconds }: ReconcileSettings): Date {
  const progressedAt = latest(queue.progressedAt, head?.progressedAt)
  const stalled = later(progressedAt, stallSeconds)
  if (!head?.waitingUntil) return stalled
  // The workflow ends the wait. Until then it is only checked in case it was lost.
  const overAt = latest(later(head.waitingUntil, stallSeconds), stalled)
  const restedAt = later(latest(progressedAt, head.waitingSince ?? undefined), longestRest)
  const lookAt = head.waitingCause === 'credits' ? earliest(restedAt, nextGrantAt(now)) : restedAt
  return now < overAt && lookAt < overAt ? lookAt : overAt
}

/** A cancelled run did not end in time: its worker hangs or is gone, or Temporal is away. */
function forceCancel({ head }: AgentFacts, { cancelSeconds }: ReconcileSettings): Action {
  const cause = `it had not ended ${cancelSeconds} s after the cancel request`
  const reason = head?.cancelReason ?? 'CANCELLED_BY_OWNER'
  return {
    kind: 'end',
    runId: head?.id ?? '',
    status: cancelledAs(reason),
    reason,
    repair: 'cancel-forced',
    cause,
  }
}

/** A blocked queue: started when nothing blocks it, emptied when the block lasts too long. */
function unblock({ now, agent, queue, next, account }: AgentFacts, settings: ReconcileSettings): Action {
  const cause = next && account && blockOf(agent, account, next.trigger)
  // Only a claim records what blocks a queue, and since when.
  if (!next || !cause || cause !== queue.blockedCause) return { kind: 'start', cause: 'its block has ended or changed' }
  const rested = later(now, longestRest)
  const restUntil = cause === 'credits' ? earliest(rested, nextGrantAt(now)) : rested
  if (cause === 'paused' || !isBlockBounded(cause, account.cap)) return { kind: 'leave', until: restUntil }
  const failsAt = later(latest(next.acceptedAt, queue.blockedSince ?? undefined), settings.queueBlockedSeconds)
  if (failsAt > now) return { kind: 'leave', until: earliest(failsAt, restUntil) }
  const reason = reasonOfBlock[cause]
  return {
    kind: 'end',
    runId: next.id,
    status: 'failed',
    reason,
    repair: null,
    cause: 'its owner did not pay in time',
  }
}

/** Whether the run, or one of its calls, has what it waits for. Waits for a slot end by time alone. */
function isWaitOver(facts: AgentFacts): boolean {
  const { now, agent, head, hasParkedCalls, hasFreedCalls, modelAnswers, account } = facts
  if (!head?.waitingUntil || head.waitingUntil <= now) return false
  if (mayHaveFreedCalls.has(head.waitingCause)) return hasFreedCalls
  if (head.waitingCause === 'credential') return !hasParkedCalls
  if (head.waitingCause === 'model') return modelAnswers === true
  if (head.waitingCause === 'paused') return agent.pausedAt === null
  return head.waitingCause === 'credits' && account !== null && account.balance >= 1
}
