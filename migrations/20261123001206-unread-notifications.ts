import type { Knex } from 'knex'

export const config = { transaction: false }

/** What an owner has not read yet. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists notifications_unread')
  await knex.raw('create index concurrently notifications_unread on notifications (owner_id, id) where read_at is null')
}

export const down = (knex: Knex) => knex.raw('drop index concurrently notifications_unread')
