import type { Knex } from 'knex'

export const name = '202611290320-canary'

/** The kinds of owners from now on. */
const kinds = `'user', 'workspace', 'system'`

/** The owner of the canary, its attempts, and the processes of the platform. The next migration validates the check. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table owners drop constraint owners_kind;
    alter table owners add constraint owners_kind check (kind in (${kinds})) not valid;
    insert into owners (id, created_at, kind) values ('00000000-0000-7000-8000-000000000001', now(), 'system');

    -- Deliveries that the platform sends to itself. The last success stays; other rows are deleted after an hour.
    create table canary_attempts (
      -- the identity of the delivery
      id uuid not null,
      -- the run is deleted after an hour
      run_id uuid,
      sent_at timestamptz not null,
      accepted_at timestamptz,
      called_back_at timestamptz,
      -- how long the canary may be without a success at this setting
      patience_seconds integer not null,
      -- why the delivery was not accepted
      refusal text,
      constraint canary_attempts_pkey primary key (id)
    );
    create index canary_attempts_sent on canary_attempts (sent_at);
    create index canary_attempts_called_back on canary_attempts (called_back_at) where called_back_at is not null;

    -- The processes of the platform. Each renews its row every few seconds.
    create table processes (
      id uuid not null,
      started_at timestamptz not null,
      seen_at timestamptz not null,
      kind text not null,
      version text not null,
      -- of each loop: its name, the seconds since its last sign of life, and how many are too many
      loops jsonb not null,
      constraint processes_pkey primary key (id),
      constraint processes_kind check (kind in ('api', 'worker'))
    );
    create index processes_seen on processes (seen_at);`)
}

/** The canary's agent and its runs go with their owner. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table processes;
    drop table canary_attempts;
    delete from runs where owner_id = '00000000-0000-7000-8000-000000000001';
    delete from agent_prompts where agent_id = '00000000-0000-7000-8000-000000000002';
    delete from agent_queues where agent_id = '00000000-0000-7000-8000-000000000002';
    delete from agents where owner_id = '00000000-0000-7000-8000-000000000001';
    delete from owners where kind = 'system';
    alter table owners drop constraint owners_kind;
    alter table owners add constraint owners_kind check (kind in (${kinds.replace(", 'system'", '')}));`)
}
