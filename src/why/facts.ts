import type { Agent } from '../agents/agent.ts'
import type { Approval } from '../approvals/approval.ts'
import type { CapOf } from '../billing/account-status.ts'
import type { Reachability } from '../temporal/reachability.ts'
import type { AgentQueue } from '../runs/agent-queue.ts'
import type { Charge } from '../runs/queue/blocked.ts'
import type { Outage } from '../outages/outage.ts'
import type { Action } from '../runs/reconcile/action.ts'
import type { Run } from '../runs/run.ts'
import type { ToolCall } from '../tools/tool-call.ts'
import type { VaultEntry } from '../vault/vault-entry.ts'
import type { Presence } from '../temporal/workers.ts'

/** A call of the current step without an outcome, with its site. */
export type OpenCall = Pick<
  ToolCall,
  | 'name'
  | 'tool'
  | 'step'
  | 'siteOrigin'
  | 'status'
  | 'attempts'
  | 'plannedAt'
  | 'startedAt'
  | 'waitCause'
  | 'notBefore'
  | 'job'
> & {
  entry: Pick<VaultEntry, 'id' | 'name' | 'authType' | 'status' | 'statusReason'> | null
  /** The pending approval request to its owner. */
  approval: Pick<Approval, 'id' | 'requestedAt' | 'expiresAt' | 'formNumber'> | null
  /** Until when the site asked us to hold. */
  heldUntil: Date | null
  /** Calls per minute to its host, if an admin has set them. */
  callsPerMinute?: number | null | undefined
}

/** The agent's begun, unfinished run. */
export interface HeadRun {
  run: Pick<
    Run,
    | 'id'
    | 'sequence'
    | 'status'
    | 'steps'
    | 'progressedAt'
    | 'waitingCause'
    | 'waitingFor'
    | 'waitingSince'
    | 'waitingUntil'
    | 'modelRetryAt'
    | 'cancelRequestedAt'
    | 'noPlaceSince'
    | 'noPlaceAt'
    | 'fallbackSince'
  >
  /** The model call of the current step, if begun: the latest attempt and the latest failure. */
  attempt: { number: number; at: Date; failed: boolean } | null
  failure: { message: string; at: Date; retryAt: Date | null } | null
  /** The outage of the model that it waits for. */
  outage: Pick<Outage, 'message' | 'beganAt' | 'nextProbeAt'> | null
  calls: OpenCall[]
  /** Deadlines of its waits: in general, and for its model if it waits for that. */
  mayWaitUntil: Date
  mayWaitForModelUntil: Date | null
}

/** A queued or ended run. */
export type NamedRun = Pick<Run, 'id' | 'sequence' | 'trigger' | 'status' | 'acceptedAt' | 'endedAt' | 'error'>

/** All that the rule reads: the record as of one moment, and whether Temporal and workers are up. */
export interface Facts {
  now: Date
  agent: Pick<
    Agent,
    'id' | 'ownerId' | 'name' | 'trigger' | 'pausedAt' | 'pausedReason' | 'exceedingSince' | 'deletedAt'
  >
  /** Charges that block the next run; with none queued, a run of the agent's trigger. */
  charges: Charge[]
  /** Whether the owner can pay for a model step. */
  hasCredits: boolean
  /** The cap that leaves the least; null if that is the balance. */
  cap: CapOf | null
  /** Whether an admin has suspended the paying account. */
  isSuspended: boolean
  queue: Pick<AgentQueue, 'unfinished' | 'awake' | 'signalledAt' | 'progressedAt' | 'blockedCause' | 'blockedSince'>
  head: HeadRun | null
  /** The oldest queued run, and how many are queued. */
  next: NamedRun | null
  queued: number
  /** The run asked about, and the unfinished runs ahead; null if the question is about the agent. */
  asked: { run: NamedRun; ahead: number } | null
  /** What the reconciler would do for the agent now. */
  action: Action
  /** The time of the last delivery, if the usual ones do not come. */
  silentSince: Date | null
  /** For scheduled agents. */
  schedule: { inSync: boolean; nextFire: Date | null } | null
  temporal: Reachability
  workers: Presence
  settings: Settings
}

/** Configuration that sentences and times depend on. */
export interface Settings {
  callsPerMinute: number
  cancelSeconds: number
  queueBlockedSeconds: number
  reconcileSeconds: number
  stallSeconds: number
}
