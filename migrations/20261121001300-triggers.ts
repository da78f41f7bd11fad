import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table agents
      add column paused_at timestamptz,
      -- how a sender proves itself; see src/webhooks/proofs.ts
      add column webhook_proof text not null default 'secret' constraint agents_webhook_proof check
        (webhook_proof in ('secret', 'standard-webhooks', 'github', 'gitlab', 'stripe', 'shopify', 'slack')),
      -- sealed like the present one; good until the given time
      add column previous_webhook_secret text,
      add column previous_webhook_secret_until timestamptz,
      -- where endings of runs are posted, and the sealed secret that they are signed with
      add column callback_url text,
      add column callback_secret text,
      add constraint agents_previous_secret
        check ((previous_webhook_secret is null) = (previous_webhook_secret_until is null)),
      add constraint agents_callback check (callback_url is null or callback_secret is not null);
    create index agents_former_secrets on agents (previous_webhook_secret_until)
      where previous_webhook_secret_until is not null;

    -- One row per agent that is or was scheduled: what Temporal has to be told, and how far the ledger of fires reaches.
    create table schedules (
      agent_id text primary key constraint schedules_agent_fk references agents (id),
      -- raised by every change of what Temporal must know: expression, zone, pause, trigger, deletion
      generation integer not null,
      -- the generation that Temporal is known to have
      synced_generation integer not null default 0,
      -- since when the present expression and zone are in force
      in_force_since timestamptz not null,
      -- every nominal fire up to here has its row
      recorded_until timestamptz not null,
      -- the first nominal fire after that; null while the agent is not scheduled
      next_fire_at timestamptz,
      -- when it was last compared with what Temporal says
      checked_at timestamptz
    );
    create index schedules_unsynced on schedules (agent_id) where synced_generation < generation;
    create index schedules_due on schedules (next_fire_at) where next_fire_at is not null;

    -- One row per nominal fire.
    create table schedule_fires (
      agent_id text not null constraint schedule_fires_agent_fk references agents (id),
      nominal_at timestamptz not null,
      outcome text not null constraint schedule_fires_outcome check (outcome in ('ran', 'skipped', 'missed')),
      reason text,
      run_id text,
      recorded_at timestamptz not null,
      constraint schedule_fires_pk primary key (agent_id, nominal_at),
      constraint schedule_fires_reason check ((reason is null) = (outcome = 'ran'))
    );
    create index schedule_fires_recorded on schedule_fires (recorded_at);

    alter table agent_queues
      -- why queued runs are not started although nothing is running
      add column blocked_cause text constraint agent_queues_blocked_cause
        check (blocked_cause in ('paused', 'tier', 'past_due', 'credits')),
      add column blocked_since timestamptz,
      add constraint agent_queues_blocked check ((blocked_cause is null) = (blocked_since is null));
    create index agent_queues_blocked_list on agent_queues (agent_id) where blocked_cause is not null;

    alter table runs
      add column replay_of text,
      drop constraint runs_waiting_cause,
      add constraint runs_waiting_cause check (waiting_cause in ('rate_limit', 'credential', 'paused', 'credits'));

    alter table notifications
      drop constraint notifications_kind,
      add constraint notifications_kind check (kind in
        ('credential_dead', 'manifest_changed', 'queue_blocked', 'agent_failing', 'schedule_missed', 'callback_failed'));

    -- Endings of runs that are to be posted to an owner's address, and every attempt at it.
    create table callbacks (
      id text primary key,
      agent_id text not null constraint callbacks_agent_fk references agents (id),
      owner_id text not null constraint callbacks_owner_fk references users (id),
      run_id text not null constraint callbacks_run_fk references runs (id) on delete cascade,
      url text not null,
      status text not null constraint callbacks_status check (status in ('pending', 'delivered', 'failed')),
      -- all of them, which numbers them; and those since the run ended, or since its owner asked for more
      attempts integer not null default 0,
      tries integer not null default 0,
      give_up_at timestamptz not null,
      -- when it is tried next; set before each attempt, so that a crash does not send it twice in a row
      next_at timestamptz,
      created_at timestamptz not null,
      ended_at timestamptz,
      constraint callbacks_once unique (run_id),
      constraint callbacks_next check ((status = 'pending') = (next_at is not null)),
      constraint callbacks_ended check ((status = 'pending') = (ended_at is null))
    );
    create index callbacks_due on callbacks (next_at) where status = 'pending';
    create index callbacks_list on callbacks (agent_id, id);

    create table callback_attempts (
      callback_id text not null constraint callback_attempts_callback_fk references callbacks (id) on delete cascade,
      attempt integer not null,
      at timestamptz not null,
      http_status integer,
      -- what came of it, in one sentence
      outcome text not null,
      latency_ms integer not null,
      constraint callback_attempts_pk primary key (callback_id, attempt)
    );

    -- The worker processes, each saying every few seconds that it is there.
    create table workers (
      id text primary key,
      task_queue text not null,
      version text not null,
      -- whether it is connected to Temporal and asks for work
      polling boolean not null,
      -- when it last did
      polled_at timestamptz,
      started_at timestamptz not null,
      seen_at timestamptz not null
    );
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table workers; drop table callback_attempts; drop table callbacks;
    delete from notifications where kind not in ('credential_dead', 'manifest_changed');
    alter table notifications
      drop constraint notifications_kind,
      add constraint notifications_kind check (kind in ('credential_dead', 'manifest_changed'));
    update runs set waiting_cause = 'credential' where waiting_cause in ('paused', 'credits');
    alter table runs
      drop column replay_of,
      drop constraint runs_waiting_cause,
      add constraint runs_waiting_cause check (waiting_cause in ('rate_limit', 'credential'));
    drop index agent_queues_blocked_list;
    alter table agent_queues drop column blocked_cause, drop column blocked_since;
    drop table schedule_fires; drop table schedules;
    alter table agents
      drop column paused_at, drop column webhook_proof, drop column previous_webhook_secret,
      drop column previous_webhook_secret_until, drop column callback_url, drop column callback_secret;
  `)
}
