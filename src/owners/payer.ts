import { raw } from 'objection'

/**
 * The account that pays for what an owner uses, as SQL: a workspace's is that of its owner, a user has one of their own.
 * A workspace can be handed over, so only a transaction that has locked the payers knows who pays until its end.
 */
export const payerOf = (ownerId: string) =>
  raw('coalesce((select payer_id from workspaces where id = :ownerId), :ownerId)', { ownerId })

/** The owners that the account of `ownerId` pays for, as SQL: the user, and the workspaces of that user. */
export const paidWith = (ownerId: string) =>
  raw(
    `(with payer as (select coalesce((select payer_id from workspaces where id = :ownerId), :ownerId) as id)
      select id from payer union all select w.id from workspaces w join payer on w.payer_id = payer.id)`,
    { ownerId },
  )
