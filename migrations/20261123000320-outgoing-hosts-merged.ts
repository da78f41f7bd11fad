import type { Knex } from 'knex'

/** The ports of a host share its hold and its suspension; the longer hold and the older suspension count. */
export const up = (knex: Knex) => knex.raw(mergeStatement)

/** Nothing has to be done: which port a row was for is not known any more, and it counts for none. */
export const down = (): Promise<void> => Promise.resolve()

const hostAlone = `regexp_replace(host, ':[0-9]+$', '')`

const mergeStatement = `
  insert into outgoing_hosts as known (host, held_until, held_reason, suspended_at, suspended_by, suspended_reason)
  select distinct on (1) ${hostAlone},
         max(held_until) over same, first_value(held_reason) over (same order by held_until desc nulls last),
         min(suspended_at) over same, first_value(suspended_by) over oldest, first_value(suspended_reason) over oldest
    from outgoing_hosts where host ~ ':[0-9]+$'
  window same as (partition by ${hostAlone}), oldest as (partition by ${hostAlone} order by suspended_at nulls last)
  on conflict (host) do update
    set held_reason = case when excluded.held_until > coalesce(known.held_until, '-infinity')
                      then excluded.held_reason else known.held_reason end,
        held_until = greatest(known.held_until, excluded.held_until),
        suspended_by = case when known.suspended_at is null then excluded.suspended_by else known.suspended_by end,
        suspended_reason =
          case when known.suspended_at is null then excluded.suspended_reason else known.suspended_reason end,
        suspended_at = coalesce(known.suspended_at, excluded.suspended_at)`
