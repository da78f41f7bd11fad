/**
 * From which grants of an owner credits are taken, as SQL of a `with`: the parts are in `draw (id, credits)`. Lowest
 * priority number first, then what expires first, then the oldest; what no grant has is a debt.
 */
export const draw = (ownerId: string, credits: string): string => `
  open as (
    select id, remaining,
           sum(remaining) over (order by priority, expires_at, created_at, id rows unbounded preceding) - remaining
             as before
      from credit_grants where owner_id = ${ownerId} and remaining > 0
  ), draw as (
    select id, least(remaining, ${credits}::bigint - before)::bigint as credits from open
     where before < ${credits}::bigint
  )`
