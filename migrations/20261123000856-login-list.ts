import type { Knex } from 'knex'

export const config = { transaction: false }

/** A user's logins in the order of their ids. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists logins_list')
  await knex.raw('create index concurrently logins_list on logins (user_id, id)')
  await knex.raw('drop index concurrently if exists logins_user_index')
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('create index concurrently logins_user_index on logins (user_id)')
  await knex.raw('drop index concurrently logins_list')
}
