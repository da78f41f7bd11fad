import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- the execution of the queue's workflow that has claimed the running run, for claims that come twice
    alter table agent_queues add column claimed_by text;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table agent_queues drop column claimed_by')
}
