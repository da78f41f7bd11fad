import { isTroubled, presentSince } from '../processes/presence-sql.ts'

/**
 * SQL: seconds since the last success, or since the present processes started, if that is later. null if no process is
 * present.
 */
export const quietSeconds = `
  extract(epoch from statement_timestamp()
    - greatest((select max(called_back_at) from canary_attempts), ${presentSince}))::float8`

/** SQL for metrics: 1 while deliveries pass and nothing else is wrong, otherwise 0. No row while the canary is off. */
export const canaryUp = `
  select case when ${quietSeconds} <= a.patience_seconds and not ${isTroubled} then 1 else 0 end as value
    from (select patience_seconds from canary_attempts order by sent_at desc limit 1) a`

/** SQL for metrics: seconds since the last success. */
export const canaryQuiet = `
  select extract(epoch from statement_timestamp() - max(called_back_at)) as value
    from canary_attempts having max(called_back_at) is not null`
