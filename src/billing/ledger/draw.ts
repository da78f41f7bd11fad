/**
 * SQL for a `with` that draws an owner's credits from grants; `draw (id, credits)` has the parts. Lowest priority
 * number first, then earliest expiry, then oldest. What no grant covers is a debt.
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
