import { raw } from 'objection'

/**
 * SQL for the account that pays for an owner: a user pays alone, and a workspace's owner pays for the workspace.
 * Workspaces can change hands, so the result is certain only in a transaction that has locked the payers.
 */
export const payerOf = (ownerId: string) =>
  raw('coalesce((select payer_id from workspaces where id = :ownerId), :ownerId)', { ownerId })

/** SQL for the owners that the account `ownerId` pays for: the user, and that user's workspaces. */
export const paidWith = (ownerId: string) =>
  raw(
    `(with payer as (select coalesce((select payer_id from workspaces where id = :ownerId), :ownerId) as id)
      select id from payer union all select w.id from workspaces w join payer on w.payer_id = payer.id)`,
    { ownerId },
  )
