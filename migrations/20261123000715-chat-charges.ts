import type { Knex } from 'knex'

/** Built beside accounts at work. What an interrupted attempt has left is not valid and must go first. */
export const config = { transaction: false }

/** A step of an answer is charged once. */
export const up = async (knex: Knex) => {
  await knex.raw('drop index concurrently if exists ledger_entries_chat_step_unique')
  await knex.raw(
    "create unique index concurrently ledger_entries_chat_step_unique on ledger_entries (answer_id, step) where kind = 'chat_step'",
  )
}

export const down = (knex: Knex) => knex.raw('drop index concurrently ledger_entries_chat_step_unique')
