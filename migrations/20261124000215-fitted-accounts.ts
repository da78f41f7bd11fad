import type { Knex } from 'knex'
import { inBatches } from './in-batches.ts'

/** Built beside accounts at work. What an interrupted attempt has left is not valid and must go first. */
export const config = { transaction: false }

/** Accounts by when they are looked at; and what an account has exceeded before is left as it is. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists accounts_look')
  await knex.raw('create index concurrently accounts_look on accounts (look_at) where look_at is not null')
  await inBatches(
    knex,
    `update accounts set fitted_tier = tier
      where owner_id in (select owner_id from accounts where fitted_tier is null limit 1000)`,
  )
}

export const down = (knex: Knex) => knex.raw('drop index concurrently accounts_look')
