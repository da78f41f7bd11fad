import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table agents (
      id text primary key,
      owner_id text not null constraint agents_owner_fk references users (id),
      name text not null,
      system_prompt text not null,
      trigger text not null constraint agents_trigger check (trigger in ('manual', 'scheduled', 'webhook')),
      cron text,
      time_zone text,
      webhook_secret text not null,
      webhook_schema json,
      allow_action_override boolean not null,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      deleted_at timestamptz,
      constraint agents_cron check ((trigger = 'scheduled') = (cron is not null and time_zone is not null))
    );
    create index agents_list on agents (owner_id, id) where deleted_at is null;

    create table agent_sites (
      agent_id text not null constraint agent_sites_agent_fk references agents (id) on delete cascade,
      vault_entry_id text not null
        constraint agent_sites_vault_entry_fk references vault_entries (id) on delete cascade,
      position integer not null,
      -- names of the tools the agent may use; null: all of the site's
      tools json,
      constraint agent_sites_pk primary key (agent_id, vault_entry_id)
    );
    create index agent_sites_vault_entry on agent_sites (vault_entry_id);

    -- One row per agent: its lock orders everything that accepts, claims or ends a run of it.
    create table agent_queues (
      agent_id text primary key constraint agent_queues_agent_fk references agents (id),
      last_sequence bigint not null default 0,
      unfinished integer not null default 0 constraint agent_queues_unfinished check (unfinished >= 0),
      running_run_id text,
      awake boolean not null default false,
      progressed_at timestamptz not null,
      signalled_at timestamptz not null
    );
    -- Names no column that every accept changes, so that those updates stay within their page (HOT). Whoever has an
    -- unfinished run is awake.
    create index agent_queues_awake on agent_queues (agent_id) where awake;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table agent_queues; drop table agent_sites; drop table agents')
}
