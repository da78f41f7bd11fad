import { Row } from '../database/row.ts'
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
