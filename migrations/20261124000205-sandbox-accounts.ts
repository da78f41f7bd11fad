import type { Knex } from 'knex'
import { inBatches } from './in-batches.ts'

export const config = { transaction: false }

/** Accounts that pay learn what the sandbox calls them. */
export const up = (knex: Knex) =>
  inBatches(
    knex,
    `update accounts set customer = 'sandbox_' || owner_id, subscription = 'sandbox_' || owner_id,
            subscription_status = 'active', next_tier = case when cancelled_at is not null then 'free' end,
            look_at = current_period_end
      where owner_id in (select a.owner_id from accounts a join sandbox_subscriptions s on s.owner_id = a.owner_id
                          where a.customer is null and a.tier <> 'free' limit 1000)`,
  )

export const down = (knex: Knex) =>
  inBatches(
    knex,
    `update accounts set customer = null, subscription = null, subscription_status = null, next_tier = null
      where owner_id in (select owner_id from accounts where customer like 'sandbox%' limit 1000)`,
  )
