import { activityInfo, ApplicationFailure, cancellationDetails, Context } from '@temporalio/activity'
import { isTransient, isUnreachable } from '../src/database/database.ts'
import { CodedError } from '../src/errors.ts'
import type { Logger } from '../src/logger.ts'
import { StaleEpochError } from '../src/runs/record.ts'
import { isTemporalAway } from '../src/temporal/temporal.ts'

/** What every activity is given: identifiers only. */
interface Identified {
  runId?: string
  agentId?: string
  requestId?: string
}

/**
 * How often something that nobody foresaw may happen to one activity in this process before its run is given up. Counted
 * here and not by Temporal, whose count of attempts includes those that failed because Postgres was away.
 */
const maxSurprises = 10

/**
 * Wraps an activity: a logger that names run and request, heartbeats while it works (they carry cancellation to it), and
 * failures in a form that may stand in a history: a code and its public sentence, never a cause.
 */
export function perform<Input extends Identified, Output>(
  logger: Logger,
  work: (input: Input, signal: AbortSignal) => Promise<Output>,
): (input: Input) => Promise<Output> {
  const surprises = new Map<string, number>()

  return async (input) => {
    const context = Context.current()
    const { runId, agentId, requestId } = input
    const {
      activityType: activity,
      activityId,
      attempt,
      isLocal,
      heartbeatTimeoutMs,
      workflowExecution,
    } = activityInfo()
    const log = logger.child({ activity, attempt, runId, agentId, requestId })
    const beat = !isLocal && heartbeatTimeoutMs ? setInterval(() => context.heartbeat(), 1000) : undefined
    const key = `${workflowExecution?.runId}/${activityId}`
    try {
      const output = await work(input, context.cancellationSignal)
      surprises.delete(key)
      return output
    } catch (error) {
      const expected = foreseen(error, log)
      if (expected) throw expected
      log.error({ err: error }, 'the activity failed for a reason that nobody foresaw')
      const count = (surprises.get(key) ?? 0) + 1
      surprises.set(key, count)
      if (count >= maxSurprises) surprises.delete(key)
      throw failure('INTERNAL_ERROR', 'The activity failed; the reason is in the log.', count < maxSurprises)
    } finally {
      clearInterval(beat)
    }
  }
}

/** The failure as Temporal may know it, or undefined for what nobody foresaw. */
function foreseen(error: unknown, log: Logger): unknown {
  if (Context.current().cancellationSignal.aborted) return interrupted()
  if (error instanceof StaleEpochError) return failure('STALE_EPOCH', error.message, false)
  if (error instanceof CodedError) {
    log.warn({ err: error }, 'the activity failed')
    return failure(error.code, error.message, error.retryable, error.retryAfter)
  }
  if (isUnreachable(error)) {
    log.warn({ err: error }, 'the database is away')
    return failure('DATABASE_AWAY', 'The database is away.', true)
  }
  if (isTransient(error)) {
    log.warn({ err: error }, 'the activity could not be carried out just now')
    return failure('TRY_AGAIN', 'The activity could not be carried out just now.', true)
  }
  if (isTemporalAway(error)) {
    log.warn({ err: error }, 'Temporal could not be asked')
    return failure('TEMPORAL_AWAY', 'Temporal could not be asked.', true)
  }
  return undefined
}

/** Cancelled by somebody: say so. Stopped with its worker: another one is to go on with it. */
function interrupted(): unknown {
  if (cancellationDetails()?.workerShutdown) return failure('WORKER_SHUTDOWN', 'The worker was stopped.', true)
  return Context.current().cancellationSignal.reason
}

const failure = (type: string, message: string, retryable: boolean, retryAfter?: number): ApplicationFailure =>
  ApplicationFailure.create({
    type,
    message,
    nonRetryable: !retryable,
    ...(retryAfter !== undefined && { nextRetryDelay: Math.ceil(retryAfter * 1000) }),
  })
