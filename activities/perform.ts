import { activityInfo, ApplicationFailure, cancellationDetails, Context } from '@temporalio/activity'
import { isDatabaseAway } from '../src/database.ts'
import { CodedError } from '../src/errors.ts'
import type { Logger } from '../src/logger.ts'
import { StaleEpochError } from '../src/runs/record.ts'

/** What every activity is given: identifiers only. */
interface Identified {
  runId?: string
  agentId?: string
  requestId?: string
}

/** How often something that nobody foresaw is tried before the run is given up. */
const maxSurprises = 10

/**
 * Wraps an activity: a logger that names run and request, heartbeats while it works (they carry cancellation to it), and
 * failures in a form that may stand in a history: a code and its public sentence, never a cause.
 */
export function perform<Input extends Identified, Output>(
  logger: Logger,
  work: (input: Input, signal: AbortSignal) => Promise<Output>,
): (input: Input) => Promise<Output> {
  return async (input) => {
    const context = Context.current()
    const { runId, agentId, requestId } = input
    const { activityType: activity, attempt, isLocal, heartbeatTimeoutMs } = activityInfo()
    const log = logger.child({ activity, attempt, runId, agentId, requestId })
    const beat = !isLocal && heartbeatTimeoutMs ? setInterval(() => context.heartbeat(), 1000) : undefined
    try {
      return await work(input, context.cancellationSignal)
    } catch (error) {
      throw toFailure(error, log, attempt)
    } finally {
      clearInterval(beat)
    }
  }
}

function toFailure(error: unknown, log: Logger, attempt: number): unknown {
  if (Context.current().cancellationSignal.aborted) return interrupted()
  if (error instanceof StaleEpochError) return failure('STALE_EPOCH', error.message, false)
  if (error instanceof CodedError) {
    log.warn({ err: error }, 'the activity failed')
    return failure(error.code, error.message, error.retryable, error.retryAfter)
  }
  if (isDatabaseAway(error)) {
    log.warn({ err: error }, 'the database is away')
    return failure('DATABASE_AWAY', 'The database is away.', true)
  }
  log.error({ err: error }, 'the activity failed for a reason that nobody foresaw')
  return failure('INTERNAL_ERROR', 'The activity failed; the reason is in the log.', attempt < maxSurprises)
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
