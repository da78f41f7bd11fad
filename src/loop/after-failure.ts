import { later } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import type { CodedError } from '../errors.ts'
import type { Outages } from '../outages/outages.ts'

/**
 * How often a run's model call is begun before the run fails, or its fallback model is asked. Crashes count, or one could
 * repeat forever; aborted calls do not, because stopping a worker is not the call's fault.
 */
export const maxAttempts = 4

/**
 * How often in a row a step's attempts may be used up although its model answers others; then the failure is the answer to
 * this very prompt.
 */
export const mostRounds = 3

/** A pause that is longer is a wait: the other model is asked instead, if there is one. In seconds. */
const longPause = 60

/** How long a run waits, in seconds, when its attempts have failed round after round although the model answers others. */
const betweenRounds = [15, 60, 300]

/** An attempt that has taken longer says enough: others would take the run's time. In milliseconds. */
const longAttemptMs = 60_000

/** How a model call has failed. `isOfPrompt` if the prompt cannot be asked of this model. */
type Failure = Pick<CodedError, 'retryable' | 'retryAfter'> & { isOverQuota?: boolean; isOfPrompt?: boolean }

/** Whether the failure says nothing about whether the model answers others. */
export const isOfPrompt = ({ isOfPrompt: is = false }: Failure): boolean => is

/** Whether the model may answer another attempt within a minute. */
export const mayPass = ({ retryable, retryAfter = 0 }: Failure, { counted, ms }: { counted: number; ms: number }) =>
  retryable && counted < maxAttempts && retryAfter <= longPause && ms < longAttemptMs

/**
 * What follows a failure: the same model is asked again, perhaps not before a time; or the run waits, until a time or
 * until its model is no longer out; or another model is asked; or the run goes on without the summary that was asked
 * for; or it ends.
 */
export type Plan =
  | { kind: 'retry' | 'wait'; retryAt: Date | null }
  | { kind: 'other'; model: string; isOut: boolean }
  | { kind: 'cut' }
  | { kind: 'end' }

/** The model that may be asked instead of another one; undefined if there is none, or if it is out, too. */
export const usableModel = async (
  outages: Pick<Outages, 'of'>,
  db: Database | Transaction,
  model: string | null | undefined,
): Promise<string | undefined> => (model && !(await outages.of(db, model)) ? model : undefined)

/** What else can be done. */
interface Chances {
  /** Whether the model fails everybody; undefined if the next attempt comes first. */
  isOut: boolean | undefined
  /** Whether the answer is only a summary. */
  isSummary: boolean
  /** The fallback model, unless that is out, too. */
  other: string | undefined
  /** How often the run has waited for its model, which answers others; null for an answer of a chat, which does not wait. */
  rounds: number | null
  now: Date
}

export function planAfter(failure: Failure, { isOut, isSummary, other, rounds, now }: Chances): Plan {
  const { retryAfter } = failure
  // If the provider named no time, the retry comes within seconds.
  if (isOut === undefined) return { kind: 'retry', retryAt: retryAfter ? later(now, retryAfter) : null }
  if (isSummary && !isOut) return { kind: 'cut' }
  if (other !== undefined) return { kind: 'other', model: other, isOut }
  if (rounds === null) return { kind: 'end' }
  return isOut ? { kind: 'wait', retryAt: null } : planForOne(failure, rounds, now)
}

/** The model answers others: it may be overloaded, or its provider refuses this very prompt. */
function planForOne({ retryable, retryAfter, isOverQuota }: Failure, rounds: number, now: Date): Plan {
  if (!isOverQuota && (!retryable || rounds + 1 >= mostRounds)) return { kind: 'end' }
  const pause = betweenRounds[Math.min(rounds, betweenRounds.length - 1)] as number
  return { kind: 'wait', retryAt: later(now, Math.max(pause, retryAfter ?? 0)) }
}
