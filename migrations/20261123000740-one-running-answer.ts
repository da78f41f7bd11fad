import type { Knex } from 'knex'

export const config = { transaction: false }

/** Of a session, one answer at a time is written: whoever begins a second one fails. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists chat_answers_running')
  await knex.raw(`
    create unique index concurrently chat_answers_running on chat_answers (session_id) where status = 'running'`)
}

export const down = (knex: Knex) => knex.raw('drop index concurrently chat_answers_running')
