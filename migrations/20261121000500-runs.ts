import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table runs (
      id text primary key,
      agent_id text not null constraint runs_agent_fk references agents (id),
      owner_id text not null constraint runs_owner_fk references users (id),
      sequence bigint not null,
      trigger text not null constraint runs_trigger check (trigger in ('manual', 'scheduled', 'webhook')),
      status text not null constraint runs_status
        check (status in ('queued', 'running', 'waiting', 'completed', 'failed', 'cancelled', 'skipped')),
      -- the payload as the bytes that came; jsonb would refuse or alter some
      payload text,
      body_hash text,
      idempotency_key text,
      request_id text not null,
      -- raised whenever the run is taken up (again); every write of a worker names the epoch it acts under
      epoch integer not null default 0,
      -- what the run was started with, fixed when it was claimed
      prompt json,
      steps integer not null default 0,
      -- model calls begun for the step that is not recorded yet
      step_attempts integer not null default 0,
      tool_calls integer not null default 0,
      input_tokens bigint not null default 0,
      output_tokens bigint not null default 0,
      credits integer not null default 0,
      waited_ms bigint not null default 0,
      events integer not null default 0,
      reason text,
      error text,
      accepted_at timestamptz not null,
      started_at timestamptz,
      cancel_requested_at timestamptz,
      cancel_reason text,
      progressed_at timestamptz not null,
      ended_at timestamptz,
      constraint runs_sequence unique (agent_id, sequence),
      constraint runs_ended check ((ended_at is null) = (status in ('queued', 'running', 'waiting')))
    );
    create unique index runs_idempotency_key on runs (agent_id, idempotency_key) where idempotency_key is not null;
    -- the last barrier against two runs of one agent at a time
    create unique index runs_one_active on runs (agent_id) where status in ('running', 'waiting');
    create index runs_unfinished on runs (agent_id, sequence) where status in ('queued', 'running', 'waiting');
    create index runs_list on runs (owner_id, id);
    create index runs_agent_list on runs (agent_id, id);

    create table run_steps (
      run_id text not null constraint run_steps_run_fk references runs (id) on delete cascade,
      step integer not null,
      model text not null,
      -- json, because a model may say U+0000, which a text column cannot hold
      answer json not null,
      finish text not null,
      input_tokens integer not null,
      output_tokens integer not null,
      credits integer not null,
      latency_ms integer not null,
      recorded_at timestamptz not null,
      constraint run_steps_pk primary key (run_id, step)
    );

    create table tool_calls (
      id text primary key,
      owner_id text not null constraint tool_calls_owner_fk references users (id),
      origin text not null constraint tool_calls_origin check (origin in ('run', 'direct')),
      run_id text constraint tool_calls_run_fk references runs (id) on delete cascade,
      step integer,
      position integer,
      -- the id the model gave the call
      model_call_id text,
      -- the name the model used, and what it stands for; both null when the model made the name up
      name text not null,
      vault_entry_id text,
      site_origin text,
      tool text,
      effect text not null constraint tool_calls_effect check (effect in ('read', 'idempotent', 'once')),
      arguments json not null,
      idempotency_key text not null constraint tool_calls_idempotency_key unique,
      status text not null constraint tool_calls_status
        check (status in ('planned', 'started', 'succeeded', 'failed', 'unknown')),
      attempts integer not null default 0,
      epoch integer not null default 0,
      http_status integer,
      result json,
      planned_at timestamptz not null,
      started_at timestamptz,
      ended_at timestamptz,
      constraint tool_calls_run_position unique (run_id, step, position),
      constraint tool_calls_of_run check ((origin = 'run') = (run_id is not null))
    );

    create table run_events (
      run_id text not null constraint run_events_run_fk references runs (id) on delete cascade,
      number integer not null,
      kind text not null,
      at timestamptz not null,
      data json not null,
      constraint run_events_pk primary key (run_id, number)
    );

    -- who carries out a loop that must run in one process only
    create table leases (
      name text primary key,
      holder text not null,
      expires_at timestamptz not null
    );
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'drop table leases; drop table run_events; drop table tool_calls; drop table run_steps; drop table runs',
  )
}
