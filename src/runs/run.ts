import { Row, selecting } from '../database/row.ts'
import type { Trigger, WaitCause } from '../../workflows/messages.ts'
import type { EndReason, RunStatus } from './states.ts'

/** What can start a run. */
export const triggers = ['manual', 'scheduled', 'webhook'] as const satisfies Trigger[]

/** One execution of an agent (table `runs`). */
export class Run extends Row {
  static override tableName = 'runs'
  declare id: string
  declare agentId: string
  declare ownerId: string
  declare sequence: number
  declare trigger: Trigger
  declare status: RunStatus
  declare requestId: string
  /** The span in which it was accepted (docs/operate/traces.md); null if that was not traced. */
  declare traceparent: string | null
  declare epoch: number
  declare steps: number
  /** The version of its agent when it was claimed; null before that. */
  declare agentVersion: number | null
  /** Attempts at the next step: how many count, and the number of the latest, from 1. */
  declare stepAttempts: number
  declare attempt: number
  declare attemptedAt: Date | null
  /** The latest attempt known to have failed, its error, and when the provider allows a retry. */
  declare failedAttempt: number | null
  declare failedAt: Date | null
  declare failure: string | null
  declare retryAt: Date | null
  /** Failed rounds in a row while the model answers others, since when, and when the run tries again. */
  declare modelRounds: number
  declare modelFailingSince: Date | null
  declare modelRetryAt: Date | null
  declare toolCalls: number
  declare inputTokens: number
  declare outputTokens: number
  declare credits: number
  /** Input tokens that providers had cached, and the cost in billionths of a USD; null if one call's is unknown. */
  declare cachedTokens: number | null
  declare costNanoUsd: number | null
  /** The step since which its fallback model is used. */
  declare fallbackSince: number | null
  /** Whether an outage of its own model caused that. It may then return to its own model. */
  declare ownModelWasOut: boolean | null
  /** Consecutive answers that did not count. */
  declare corrections: number | null
  /** The last step whose results the model sees shortened, and the last step that it does not see. */
  declare shortenedThrough: number | null
  declare leftOutThrough: number | null
  /** Prompt bytes per token, as the model counted in the latest step. */
  declare bytesPerToken: number | null
  /** What it waits for (`waitingFor` is the site or model), since when, and its deadline; null unless it waits. */
  declare waitingCause: WaitCause | null
  declare waitingFor: string | null
  declare waitingSince: Date | null
  declare waitingUntil: Date | null
  /** Duration of its earlier waits, in milliseconds. Its minutes exclude them. */
  declare waitedMs: number
  /** The part of these that does not count against its waiting limit: for its model, and while its agent was paused. */
  declare outageMs: number
  /** Since when it has found no place in a worker, without progress since. */
  declare noPlaceSince: Date | null
  /** The AI provider without a free place; null if it was the worker itself. */
  declare noPlaceAt: string | null
  /** The finished run that this one replays. */
  declare replayOf: string | null
  /** For a replay: the first run of the original input. It may be purged. */
  declare firstRunId: string | null
  declare events: number
  declare reason: EndReason | null
  declare error: string | null
  declare acceptedAt: Date
  declare startedAt: Date | null
  declare cancelRequestedAt: Date | null
  declare cancelReason: EndReason | null
  declare progressedAt: Date
  declare endedAt: Date | null
}

/** A run as a plain object. */
export type RunFields = Omit<Run, keyof Row>

const runFields = Object.keys({
  id: 0,
  agentId: 0,
  ownerId: 0,
  sequence: 0,
  trigger: 0,
  status: 0,
  requestId: 0,
  traceparent: 0,
  epoch: 0,
  steps: 0,
  agentVersion: 0,
  stepAttempts: 0,
  attempt: 0,
  attemptedAt: 0,
  failedAttempt: 0,
  failedAt: 0,
  failure: 0,
  retryAt: 0,
  modelRounds: 0,
  modelFailingSince: 0,
  modelRetryAt: 0,
  toolCalls: 0,
  inputTokens: 0,
  outputTokens: 0,
  credits: 0,
  cachedTokens: 0,
  costNanoUsd: 0,
  fallbackSince: 0,
  ownModelWasOut: 0,
  corrections: 0,
  shortenedThrough: 0,
  leftOutThrough: 0,
  bytesPerToken: 0,
  waitingCause: 0,
  waitingFor: 0,
  waitingSince: 0,
  waitingUntil: 0,
  waitedMs: 0,
  outageMs: 0,
  noPlaceSince: 0,
  noPlaceAt: 0,
  replayOf: 0,
  firstRunId: 0,
  events: 0,
  reason: 0,
  error: 0,
  acceptedAt: 0,
  startedAt: 0,
  cancelRequestedAt: 0,
  cancelReason: 0,
  progressedAt: 0,
  endedAt: 0,
} satisfies Record<keyof RunFields, 0>)

/** SQL that selects a run `r`. */
export const selectingRun = selecting(runFields, 'r')

/** Columns of a step without failed rounds. */
export const noRounds = { modelRounds: 0, modelFailingSince: null, modelRetryAt: null }

/** Columns of a step without attempts. */
export const noAttempt = {
  stepAttempts: 0,
  attempt: 0,
  attemptedAt: null,
  failedAttempt: null,
  failedAt: null,
  failure: null,
  retryAt: null,
  ...noRounds,
}
