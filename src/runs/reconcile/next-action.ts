import { later, latest } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import { blockOf, reasonOfBlock } from '../queue/blocked.ts'
import { cancelledAs } from '../states.ts'
import type { Action } from './action.ts'
import { diagnose, longestRest, type Seen } from './diagnose.ts'
import type { AgentFacts } from './facts.ts'

/** Durations that the rule depends on, in seconds. */
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
 * The rule of the reconciler, and of `why`: what an agent needs follows from the facts alone. `seen` is what Temporal
 * has of it; only a stalled agent is compared with that.
 */
export function nextAction(facts: AgentFacts, settings: ReconcileSettings, seen?: Seen): Action {
  const { now, agent, queue, head, next } = facts
  if (facts.contradiction) return { kind: 'correct', cause: facts.contradiction }
  if (agent.deletedAt && facts.unasked > 0) return { kind: 'cancel' }
  if (!head && !next) return { kind: 'rest' }
  const forcedAt = head?.cancelRequestedAt ? later(head.cancelRequestedAt, settings.cancelSeconds) : null
  if (forcedAt && forcedAt <= now) return forced(facts, settings)
  if (!head && queue.blockedCause && !queue.awake) return ofBlocked(facts, settings)
  if (head && isWaitOver(facts)) return { kind: 'resume', runId: head.id }
  const stalled = stalledAt(facts, settings)
  if (now < stalled) return { kind: 'leave', until: forcedAt && forcedAt < stalled ? forcedAt : stalled }
  return seen ? diagnose(facts, seen, settings.stallSeconds) : { kind: 'inspect' }
}

/** The definition of "stalled": from then on, unless something happens before, an agent makes no progress. */
function stalledAt({ now, queue, head }: AgentFacts, { stallSeconds }: ReconcileSettings): Date {
  const progressedAt = latest(queue.progressedAt, head?.progressedAt)
  const stalled = later(progressedAt, stallSeconds)
  if (!head?.waitingUntil) return stalled
  // The end of a wait is up to the workflow. Until then it is at rest, and only looked at for having been lost.
  const overAt = latest(later(head.waitingUntil, stallSeconds), stalled)
  const restedAt = later(latest(progressedAt, head.waitingSince ?? undefined), longestRest)
  return now < overAt && restedAt < overAt ? restedAt : overAt
}

/** A cancelled run that has not ended in time, whatever keeps it: its worker is wedged or gone, or Temporal is away. */
function forced({ head }: AgentFacts, { cancelSeconds }: ReconcileSettings): Action {
  const cause = `it had not ended ${cancelSeconds} s after it was asked to`
  const reason = head?.cancelReason ?? 'CANCELLED_BY_OWNER'
  return { kind: 'end', runId: head?.id ?? '', status: cancelledAs(reason), reason, repair: 'cancel-forced', cause }
}

/** A queue that may not start its next run: started when nothing keeps it, emptied when that takes too long. */
function ofBlocked({ now, agent, queue, next, account }: AgentFacts, settings: ReconcileSettings): Action {
  const cause = next && account && blockOf(agent, account, next.trigger)
  // Only a claim says what blocks a queue, and since when.
  if (!next || !cause || cause !== queue.blockedCause) return { kind: 'start', cause: 'it is not blocked as it was' }
  const restUntil = later(now, longestRest)
  if (cause === 'paused') return { kind: 'leave', until: restUntil }
  const failsAt = later(latest(next.acceptedAt, queue.blockedSince ?? undefined), settings.queueBlockedSeconds)
  if (failsAt > now) return { kind: 'leave', until: failsAt < restUntil ? failsAt : restUntil }
  const reason = reasonOfBlock[cause]
  return {
    kind: 'end',
    runId: next.id,
    status: 'failed',
    reason,
    repair: null,
    cause: 'its owner has not paid in time',
  }
}

/** Whether what the run waits for is there; the end of other waits is a matter of time. */
function isWaitOver({ now, agent, head, hasParkedCalls, account }: AgentFacts): boolean {
  if (!head?.waitingUntil || head.waitingUntil <= now) return false
  if (head.waitingCause === 'credential') return !hasParkedCalls
  if (head.waitingCause === 'paused') return agent.pausedAt === null
  return head.waitingCause === 'credits' && account !== null && account.balance >= 1
}
