import type { Knex } from 'knex'

export const config = { transaction: false }

/** The logins that end with an identity, or with a workspace's provider. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists logins_identity')
  await knex.raw('create index concurrently logins_identity on logins (identity_id) where identity_id is not null')
  await knex.raw('drop index concurrently if exists logins_workspace')
  await knex.raw('create index concurrently logins_workspace on logins (workspace_id) where workspace_id is not null')
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently logins_workspace')
  await knex.raw('drop index concurrently logins_identity')
}
