import type { Knex } from 'knex'

export const config = { transaction: false }

/** Finds what a user has made and connected; validates what the migration before has added. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists agents_creator')
  await knex.raw('create index concurrently agents_creator on agents (created_by) where created_by is not null')
  await knex.raw('drop index concurrently if exists vault_entries_connector')
  await knex.raw(`
    create index concurrently vault_entries_connector on vault_entries (connected_by, owner_id)
     where connected_by is not null`)
  await knex.raw('drop index concurrently if exists oauth_flows_user')
  await knex.raw('create index concurrently oauth_flows_user on oauth_flows (user_id) where user_id is not null')
  await knex.raw('alter table agents validate constraint agents_moved')
  await knex.raw('alter table agents validate constraint agents_creator_fk')
  await knex.raw('alter table vault_entries validate constraint vault_entries_connector_fk')
  await knex.raw('alter table oauth_flows validate constraint oauth_flows_user_fk')
  await knex.raw('alter table workspaces validate constraint workspaces_connections_of_leavers')
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently oauth_flows_user')
  await knex.raw('drop index concurrently vault_entries_connector')
  await knex.raw('drop index concurrently agents_creator')
}
