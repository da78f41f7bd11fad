import type { ActivityOptions, LocalActivityOptions } from '@temporalio/workflow'

/**
 * Timeouts and retries of activities, by kind. None limits attempts: an activity that must not be retried says so
 * itself, and the record counts attempts, where a crash cannot reset them. While Postgres is away, everything keeps
 * retrying. An activity that fails names its pause itself. One that is lost, with its worker or
 * with the connection to Temporal, is retried after a second, however often that happens.
 */
const soon = { initialInterval: '1s', backoffCoefficient: 1 } as const

/** Short, idempotent changes of the record, run inside the workflow task. */
export const recordOptions: LocalActivityOptions = {
  startToCloseTimeout: '10s',
  localRetryThreshold: '30s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5s' },
}

/** One model call. The limit is above MODEL_TIMEOUT_SECONDS, which normally ends a slow call. */
export const modelOptions: ActivityOptions = {
  startToCloseTimeout: '65m',
  heartbeatTimeout: '5s',
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: soon,
}

/**
 * One tool call. The limit is above what it takes at most: two requests of SITE_TIMEOUT_SECONDS, each after a session was
 * opened, and a refreshed token between them.
 */
export const toolOptions: ActivityOptions = {
  startToCloseTimeout: '25m',
  heartbeatTimeout: '5s',
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: soon,
}
