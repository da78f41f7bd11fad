import { Row } from '../database/row.ts'
import type { Trigger, WaitCause } from '../../workflows/messages.ts'
import type { EndReason, RunStatus } from './states.ts'

/** What may start a run. */
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
  /** Attempts at the step that is not recorded yet: how many count, and the number of the latest, from 1. */
  declare stepAttempts: number
  declare attempt: number
  declare attemptedAt: Date | null
  /** The latest attempt known to have failed, its error, and when the provider allows a retry. */
  declare failedAttempt: number | null
  declare failedAt: Date | null
  declare failure: string | null
  declare retryAt: Date | null
  /** How often in a row its attempts have failed although the model answers others, since when, and when it asks again. */
  declare modelRounds: number
  declare modelFailingSince: Date | null
  declare modelRetryAt: Date | null
  declare toolCalls: number
  declare inputTokens: number
  declare outputTokens: number
  declare credits: number
  /** The part of the input tokens that providers had in their caches, and the cost in billionths of a USD; null if that of one call is unknown. */
  declare cachedTokens: number | null
  declare costNanoUsd: number | null
  /** Since which step its agent's fallback model is asked. */
  declare fallbackSince: number | null
  /** Whether that is because its own was out: then it may be asked of that again. */
  declare ownModelWasOut: boolean | null
  /** Answers in a row that did not count. */
  declare corrections: number | null
  /** Up to which step the model sees results shortened, and up to which it sees nothing. */
  declare shortenedThrough: number | null
  declare leftOutThrough: number | null
  /** How many bytes of its prompt the model counted as a token in the latest step. */
  declare bytesPerToken: number | null
  /** What it waits for (`waitingFor` is the site, or the model), since when, and until when at most; all null unless it waits. */
  declare waitingCause: WaitCause | null
  declare waitingFor: string | null
  declare waitingSince: Date | null
  declare waitingUntil: Date | null
  /** How long its earlier waits took, in milliseconds; its minutes exclude them. */
  declare waitedMs: number
  /** The part of these that does not use up how long it may wait: for its model, and while its agent was paused. */
  declare outageMs: number
  /** Since when it has found no place in a worker, unless it has made progress since. */
  declare noPlaceSince: Date | null
  /** The AI provider at which it has found none; null if it was the worker itself. */
  declare noPlaceAt: string | null
  /** The finished run that this one replays. */
  declare replayOf: string | null
  /** Of a replay: the first run of what it replays. It may be purged. */
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

/** The columns of a step whose model has not failed it round after round. */
export const noRounds = { modelRounds: 0, modelFailingSince: null, modelRetryAt: null }

/** The columns of a step without attempts. */
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
