import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- for lists of one state; most runs have completed, and those are found soon without it
    create index runs_state_list on runs (owner_id, status, id) where status <> 'completed';
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index runs_state_list')
}
