import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- When the reconciler is to look at an agent. Whoever changes a fact that needs action inserts a row in the same
    -- transaction. There may be several rows for one agent, and there is no foreign key: an insert waits for nobody.
    create table due_agents (
      id bigint generated always as identity primary key,
      agent_id text not null,
      due_at timestamptz not null
    );
    create index due_agents_due on due_agents (due_at);
    create index due_agents_agent on due_agents (agent_id);
    -- the epoch that claimed_by was given: under a later one, it is another execution's turn
    alter table agent_queues add column claimed_epoch integer;
    update agent_queues q set claimed_epoch = r.epoch from runs r where r.id = q.running_run_id;
    insert into due_agents (agent_id, due_at) select agent_id, now() from agent_queues where awake or unfinished > 0;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table agent_queues drop column claimed_epoch; drop table due_agents')
}
