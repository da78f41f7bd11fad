import { activityInfo, ApplicationFailure, cancellationDetails, Context } from '@temporalio/activity'
import { ApplicationFailureCategory } from '@temporalio/common'
import { isTransient, isUnreachable } from '../src/database/database.ts'
import { CodedError } from '../src/errors.ts'
import { logging, type Logger } from '../src/logger.ts'
import { NoPlaceError } from '../src/shares/places.ts'
import { StaleEpochError } from '../src/runs/record.ts'
import { isTemporalAway } from '../src/temporal/temporal.ts'

/** The input of every activity: identifiers only. */
interface Identified {
  runId?: string
  agentId?: string
  ownerId?: string
  requestId?: string
}

/**
 * How many unexpected errors one activity may have in this process before its run fails. Counted here, because
 * Temporal's count of attempts includes those that failed while Postgres was away.
 */
const maxUnexpected = 10

/**
 * Wraps an activity: adds a logger that names run and request, heartbeats while it works (they carry cancellation), and
 * turns failures into a form fit for a history: a code and its public sentence, never a cause.
 */
export function perform<Input extends Identified, Output>(
  logger: Logger,
  work: (input: Input, signal: AbortSignal) => Promise<Output>,
): (input: Input) => Promise<Output> {
  const unexpectedCounts = new Map<string, number>()

  return async (input) => {
    const context = Context.current()
    const { runId, agentId, ownerId, requestId } = input
    const {
      activityType: activity,
      activityId,
      attempt,
      isLocal,
      heartbeatTimeoutMs,
      workflowExecution,
    } = activityInfo()
    const beat = !isLocal && heartbeatTimeoutMs ? setInterval(() => context.heartbeat(), 1000) : undefined
    const about = { activity, attempt, runId, agentId, ownerId, requestId }
    const key = `${workflowExecution?.runId}/${activityId}`
    try {
      const output = await logging(about, () => work(input, context.cancellationSignal))
      unexpectedCounts.delete(key)
      return output
    } catch (error) {
      const expected = logging(about, () => expectedFailure(error, logger))
      if (expected) throw expected
      logger.error({ ...about, err: error }, 'unexpected error in an activity')
      const count = (unexpectedCounts.get(key) ?? 0) + 1
      unexpectedCounts.set(key, count)
      if (count >= maxUnexpected) unexpectedCounts.delete(key)
      throw failure('INTERNAL_ERROR', 'The activity failed. The log has the reason.', count < maxUnexpected)
    } finally {
      clearInterval(beat)
    }
  }
}

/** The failure as Temporal may see it; undefined for an unexpected error. */
function expectedFailure(error: unknown, logger: Logger): unknown {
  if (Context.current().cancellationSignal.aborted) return cancellation()
  if (error instanceof StaleEpochError) return failure('STALE_EPOCH', error.message, false)
  if (error instanceof CodedError) {
    logger.warn({ err: error }, 'activity failed')
    return failure(error.code, error.message, error.retryable, error.retryAfter)
  }
  if (error instanceof NoPlaceError) return waiting(secondsUntilNextPlace())
  if (isUnreachable(error)) {
    logger.warn({ err: error }, 'database unavailable')
    return failure('DATABASE_AWAY', 'The database is unavailable.', true)
  }
  if (isTransient(error)) {
    logger.warn({ err: error }, 'activity cannot run right now; will retry')
    return failure('TRY_AGAIN', 'The activity cannot run right now.', true)
  }
  if (isTemporalAway(error)) {
    logger.warn({ err: error }, 'Temporal unavailable')
    return failure('TEMPORAL_AWAY', 'Temporal is unavailable.', true)
  }
  return undefined
}

/** Expected, so Temporal's SDK must not log a warning. */
const waiting = (seconds: number): ApplicationFailure =>
  ApplicationFailure.create({
    type: 'NO_PLACE',
    message: noPlace,
    category: ApplicationFailureCategory.BENIGN,
    nextRetryDelay: Math.ceil(seconds * 1000),
  })

const noPlace = "The owner is at this worker's concurrency limit. The activity is retried automatically."

/** Grows with each attempt and is randomised, so that refused work does not return in waves. */
const secondsUntilNextPlace = (): number => Math.min(0.3 * activityInfo().attempt, 5) * (0.5 + Math.random() / 2)

/** Reports a cancellation. If the worker is stopping, another worker must retry. */
function cancellation(): unknown {
  if (cancellationDetails()?.workerShutdown) return failure('WORKER_SHUTDOWN', 'The worker was stopped.', true, 1)
  return Context.current().cancellationSignal.reason
}

/** `retryAfter`: in seconds, if somebody asked for a pause. Zero says only that there is no reason to wait. */
function failure(type: string, message: string, retryable: boolean, retryAfter?: number): ApplicationFailure {
  const pause = retryAfter || secondsUntilRetry()
  return ApplicationFailure.create({
    type,
    message,
    nonRetryable: !retryable,
    // Temporal reads a delay of zero as no retry. Without one, the options of the activity decide.
    ...(retryable && pause > 0 && { nextRetryDelay: Math.ceil(pause * 1000) }),
  })
}

/**
 * Grows with each attempt. The options of an activity name a constant pause, for activities that are lost. Those that
 * run inside a workflow task cannot be lost, and their options name a growing one.
 */
function secondsUntilRetry(): number {
  const { isLocal, attempt } = activityInfo()
  return isLocal ? 0 : Math.min(2 ** (attempt - 1), 15)
}
