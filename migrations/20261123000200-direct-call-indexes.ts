import type { Knex } from 'knex'

export const config = { transaction: false }

/** One call under each key of a vault entry; and the calls of an entry in the order of their ids. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists direct_tool_calls_key')
  await knex.raw(`
    create unique index concurrently direct_tool_calls_key on direct_tool_calls (vault_entry_id, idempotency_key)
     where idempotency_key is not null`)
  await knex.raw('drop index concurrently if exists direct_tool_calls_list')
  await knex.raw('create index concurrently direct_tool_calls_list on direct_tool_calls (vault_entry_id, id)')
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently direct_tool_calls_list')
  await knex.raw('drop index concurrently direct_tool_calls_key')
}
