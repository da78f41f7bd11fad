import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- What was tried with the present refresh token is looked up before every attempt.
    create index vault_refreshes_generation on vault_refreshes (entry_id, generation);
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index vault_refreshes_generation')
}
