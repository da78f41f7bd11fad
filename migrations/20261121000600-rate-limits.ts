import type { Knex } from 'knex'

/** The columns are those that rate-limiter-flexible expects. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create unlogged table rate_limits (
      key text primary key,
      points integer not null default 0,
      expire bigint
    );
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table rate_limits')
}
