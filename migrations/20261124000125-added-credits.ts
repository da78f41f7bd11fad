import type { Knex } from 'knex'

/** Built beside charges at work. What an interrupted attempt has left is not valid and must go first. */
export const config = { transaction: false }

/** What was added, has expired or was paid back: few entries among very many steps. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists ledger_entries_added')
  await knex.raw(`
    create index concurrently ledger_entries_added on ledger_entries (owner_id, id)
     where kind not in ('step', 'failed_step', 'chat_step')`)
}

export const down = (knex: Knex) => knex.raw('drop index concurrently ledger_entries_added')
