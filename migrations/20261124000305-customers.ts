import type { Knex } from 'knex'

/** Built beside accounts at work. What an interrupted attempt has left is not valid and must go first. */
export const config = { transaction: false }

/** A customer of the gateway is one account. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists accounts_customer_unique')
  await knex.raw(
    'create unique index concurrently accounts_customer_unique on accounts (customer) where customer is not null',
  )
}

export const down = (knex: Knex) => knex.raw('drop index concurrently accounts_customer_unique')
