/**
 * Whether a session continues, as SQL about a row `s` of `sessions`: it was not ended, and an admin keeps out neither the user
 * who has it nor the one who pays. What waits for a decision while somebody is kept out continues once that is lifted.
 */
export const sessionGoesOn = `
  (s.ended_at is null
   and not exists (select from users u
                    where u.suspended_at is not null
                      and u.id in (coalesce(s.user_id, s.owner_id),
                                   coalesce((select w.payer_id from workspaces w where w.id = s.owner_id), s.owner_id))))`
