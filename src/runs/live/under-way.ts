/** Whether the latest attempt of a run `r` at its next step may still be in progress. */
export const underWay = 'r.ended_at is null and r.attempt > 0 and r.failed_attempt is distinct from r.attempt'
