import type { Knex } from 'knex'

export const config = { transaction: false }

/** What leaves with a member, and what a workspace has used. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists api_keys_workspace')
  await knex.raw(`
    create index concurrently api_keys_workspace on api_keys (workspace_id, id)`)
  await knex.raw('drop index concurrently if exists sessions_user')
  await knex.raw('create index concurrently sessions_user on sessions (user_id)')
  await knex.raw('drop index concurrently if exists ledger_entries_workspace')
  await knex.raw(`
    create index concurrently ledger_entries_workspace on ledger_entries (workspace_id, id)
     where workspace_id is not null`)
  await knex.raw('alter table api_keys validate constraint api_keys_workspace_fk')
  await knex.raw('alter table sessions validate constraint sessions_user_fk')
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently ledger_entries_workspace')
  await knex.raw('drop index concurrently sessions_user')
  await knex.raw('drop index concurrently api_keys_workspace')
}
