/** SQL: whether the latest attempt of run `r` at its next step may still be in progress. */
export const attemptInProgress = 'r.ended_at is null and r.attempt > 0 and r.failed_attempt is distinct from r.attempt'
