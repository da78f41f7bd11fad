import type { Knex } from 'knex'

export const config = { transaction: false }

/** The earliest callback of each owner, so that owners can take turns. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists callbacks_turns')
  await knex.raw(`create index concurrently callbacks_turns on callbacks (owner_id, next_at) where status = 'pending'`)
}

export const down = (knex: Knex) => knex.raw('drop index concurrently callbacks_turns')
