/**
 * Whether a session continues, as SQL about a row `s` of `sessions`: it was not ended, and neither its user nor the
 * payer is suspended. Pending approvals continue when the suspension is lifted.
 */
export const sessionContinues = `
  (s.ended_at is null
   and not exists (select from users u
                    where u.suspended_at is not null
                      and u.id in (coalesce(s.user_id, s.owner_id),
                                   coalesce((select w.payer_id from workspaces w where w.id = s.owner_id), s.owner_id))))`
