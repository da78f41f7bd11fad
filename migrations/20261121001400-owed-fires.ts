import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- fires at or before recorded_until that have no row yet: due before the last change, and fires of the present state
    alter table schedules add column owed timestamptz[] not null default '{}';
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table schedules drop column owed')
}
