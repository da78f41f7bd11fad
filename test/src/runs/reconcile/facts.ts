import type { AgentFacts } from '../../../../src/runs/reconcile/facts.ts'
import { AgentQueue } from '../../../../src/runs/agent-queue.ts'
import type { Run } from '../../../../src/runs/run.ts'
import type { OpenExecution } from '../../../../src/temporal/inspection.ts'

/** The moment at which the last thing happened, in all facts of these tests. */
export const since = new Date('2026-11-21T09:00:00Z')
export const after = (seconds: number): Date => new Date(since.getTime() + seconds * 1000)

export const settings = { stallSeconds: 20, cancelSeconds: 6, queueBlockedSeconds: 86_400 }

/** A run that has begun, and works. */
export const headRun = (facts: Partial<Run> = {}): Run =>
  ({
    id: 'head',
    agentId: 'agent',
    status: 'running',
    trigger: 'webhook',
    epoch: 1,
    events: 3,
    progressedAt: since,
    acceptedAt: since,
    waitingCause: null,
    waitingSince: null,
    waitingUntil: null,
    cancelRequestedAt: null,
    cancelReason: null,
    ...facts,
  }) as Run

export const queuedRun = (facts: Partial<Run> = {}): Run => headRun({ id: 'next', status: 'queued', ...facts })

/** A run that waits, for a day at most. */
export const waitingRun = (waitingCause: NonNullable<Run['waitingCause']>, facts: Partial<Run> = {}): Run =>
  headRun({ status: 'waiting', waitingCause, waitingSince: since, waitingUntil: after(86_400), ...facts })

export const paid: NonNullable<AgentFacts['account']> = {
  features: ['webhooks'],
  subscription: null,
  balance: 10,
  cap: null,
}

/** An agent with these runs, whose queue row agrees with them. */
export function agentFacts(
  { head = null, next = null, ...facts }: Partial<AgentFacts> = {},
  row: Partial<AgentQueue> = {},
): AgentFacts {
  const unfinished = Number(head !== null) + Number(next !== null)
  const queue = AgentQueue.fromJson({}, { skipValidation: true })
  const plain = {
    agentId: 'agent',
    runningRunId: head?.id ?? null,
    unfinished,
    awake: unfinished > 0,
    claimedBy: 'one',
  }
  const times = { progressedAt: since, signalledAt: since, blockedCause: null, blockedSince: null }
  return {
    now: after(60),
    agent: { id: 'agent', ownerId: 'owner', name: 'An agent', pausedAt: null, deletedAt: null },
    queue: Object.assign(queue, plain, times, row),
    contradiction: null,
    uncancelled: unfinished,
    head,
    hasParkedCalls: false,
    hasFreedCalls: false,
    modelAnswers: null,
    next,
    account: paid,
    ...facts,
  }
}

/** An execution that Temporal has open, by default the one that has claimed the run. */
export const open = (facts: Partial<OpenExecution> = {}): OpenExecution => ({
  executionId: 'one',
  startedAt: after(-100),
  attempts: 0,
  isBusy: false,
  isIdle: false,
  children: [],
  foreign: null,
  waitsSince: null,
  ...facts,
})
