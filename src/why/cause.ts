import { later, latest } from '../clock.ts'
import type { Advice } from './actions.ts'

/**
 * Everything that can hold up a run, in the order of an answer: first causes that need an action, then causes that
 * delay everyone, then causes that resolve automatically.
 */
export const causeCodes = {
  ENDED: 'The run has ended',
  CREDENTIAL: 'A site must be reconnected',
  APPROVAL: 'A tool call needs approval',
  CREDITS: 'There are no credits left',
  TIER: 'The subscription tier does not include webhooks',
  PAST_DUE: 'The subscription payment is overdue',
  PAUSED: 'The agent is paused',
  MODEL_UNAVAILABLE: 'The AI model is unavailable',
  TEMPORAL_AWAY: 'Temporal, which executes runs, is unreachable',
  NO_WORKER: 'No worker is running',
  RUN_AHEAD: 'The agent has an earlier run in its queue',
  CANCELLING: 'The run is being cancelled',
  MODEL_RETRY: 'The model call failed and is being retried',
  JOB: 'A site works on a tool call',
  RATE_LIMIT: "A site's rate limit has been reached",
  NO_PLACE: "The owner has reached the worker's concurrency limit",
  CREDITS_HELD: 'Other steps have reserved the remaining credits',
  PROVIDER_BUSY: "The AI provider's concurrency limit has been reached",
  WAKE_PENDING: 'The run is about to start or resume',
  WORKING: 'The run is calling the model or a tool',
  SILENT: 'The usual deliveries do not come',
  SCHEDULE_NOT_IN_STEP: 'Temporal does not have the current schedule yet',
  SCHEDULE: 'The next scheduled run is not due yet',
  IDLE: 'The agent has nothing to do',
} as const satisfies Record<string, string>

export type CauseCode = keyof typeof causeCodes

/** Every code, in the order of an answer. */
export const causeOrder = Object.keys(causeCodes) as [CauseCode, ...CauseCode[]]

/** One reason, in words and in parts. A part is null if it does not apply or is unknown. */
export interface Cause {
  code: CauseCode
  since: Date | null
  /** When it ends or is checked again. If it waits for the owner: when the run fails. */
  until: Date | null
  /** The situation, in a sentence or two. */
  message: string
  /** What the reader can do, in a sentence or two, with its cost. */
  action: Advice
  /** The run concerned, and its number. */
  runId: string | null
  sequence: number | null
  step: number | null
  /** The origin of the site concerned. */
  site: string | null
}

export const whyStates = ['running', 'waiting', 'queued', 'idle', 'ended'] as const
export type WhyState = (typeof whyStates)[number]

/** Why an agent or a run is in its current state. */
export interface Why {
  state: WhyState
  /** The state and the most important cause, in a few sentences. */
  summary: string
  /** Most important first; never empty. */
  causes: Cause[]
}

type Parts = Pick<Cause, 'code' | 'message' | 'action'> & Partial<Cause>

/** A cause. Missing parts are null. */
export const causeOf = (parts: Parts): Cause => ({
  since: null,
  until: null,
  runId: null,
  sequence: null,
  step: null,
  site: null,
  ...parts,
})

/** A time in sentences: to the second, in UTC. */
export const utcTime = (at: Date): string => `${at.toISOString().slice(0, 19)}Z`

/** `has been … since …`, or `is …` if that is unknown. */
export const ongoing = (what: string, since: Date | null): string =>
  since ? `has been ${what} since ${utcTime(since)}` : `is ${what}`

/** When something is checked again: at the given time, but not before the reconciler's next round. */
export const nextCheck = (
  { now, settings }: { now: Date; settings: { reconcileSeconds: number } },
  at: Date = now,
): Date => latest(at, later(now, settings.reconcileSeconds))
