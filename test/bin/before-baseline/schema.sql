-- The schema of the release before, as its migrations made it.

-- 20261121000100-users
create table users (
  id text not null,
  email text not null,
  password_hash text not null,
  terms_version text,
  terms_accepted_at timestamptz,
  created_at timestamptz not null,
  constraint users_pkey primary key (id),
  constraint users_email_unique unique (email),
  constraint users_email_length check (char_length(email) between 3 and 254),
  constraint users_terms_both check ((terms_version is null) = (terms_accepted_at is null))
);

create table logins (
  id text not null,
  user_id text not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  constraint logins_pkey primary key (id),
  constraint logins_user_fkey foreign key (user_id) references users (id) on delete cascade
);
create index logins_user_index on logins (user_id);

create table refresh_tokens (
  id text not null,
  login_id text not null,
  token_hash text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  consumed_at timestamptz,
  constraint refresh_tokens_pkey primary key (id),
  constraint refresh_tokens_hash_unique unique (token_hash),
  constraint refresh_tokens_login_fkey foreign key (login_id) references logins (id) on delete cascade
);
create index refresh_tokens_login_index on refresh_tokens (login_id);

create table api_keys (
  id text not null,
  user_id text not null,
  name text not null,
  key_hash text not null,
  scopes text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  constraint api_keys_pkey primary key (id),
  constraint api_keys_hash_unique unique (key_hash),
  constraint api_keys_user_fkey foreign key (user_id) references users (id) on delete cascade,
  constraint api_keys_name_length check (char_length(name) between 1 and 100),
  constraint api_keys_scopes_known check (scopes <@ array['read', 'write'] and cardinality(scopes) between 1 and 2)
);
create index api_keys_user_index on api_keys (user_id, id);

-- 20261121000200-billing
create table accounts (
  owner_id text not null,
  tier text not null,
  current_period_end timestamptz,
  balance bigint not null,
  granted_period text,
  created_at timestamptz not null,
  constraint accounts_pkey primary key (owner_id),
  constraint accounts_paid_tier_has_period check ((tier = 'free') = (current_period_end is null))
);

create table payment_methods (
  id text not null,
  owner_id text not null,
  reference text not null,
  brand text not null,
  last4 text not null,
  created_at timestamptz not null,
  constraint payment_methods_pkey primary key (id)
);
create index payment_methods_owner_index on payment_methods (owner_id, id);

create table ledger_entries (
  id text not null,
  owner_id text not null,
  kind text not null,
  credits bigint not null,
  balance_after bigint not null,
  period text,
  run_id text,
  step integer,
  created_at timestamptz not null,
  constraint ledger_entries_pkey primary key (id),
  constraint ledger_entries_account_fkey foreign key (owner_id) references accounts (owner_id),
  constraint ledger_entries_grant_unique unique (owner_id, period),
  constraint ledger_entries_step_unique unique (run_id, step),
  constraint ledger_entries_credits_sign check (
    (kind = 'grant' and credits > 0 and period is not null and run_id is null and step is null) or
    (kind = 'step' and credits < 0 and period is null and run_id is not null and step is not null)
  )
);
create index ledger_entries_owner_index on ledger_entries (owner_id, id);

create function ledger_entries_refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append-only' using errcode = 'restrict_violation';
end
$$;
create trigger ledger_entries_append_only before update or delete or truncate on ledger_entries
  for each statement execute function ledger_entries_refuse_change();

-- 20261121000300-vault
create table vault_entries (
  id text primary key,
  owner_id text not null constraint vault_entries_owner_fk references users (id),
  origin text not null,
  name text not null,
  -- json, not jsonb: what a site wrote is kept as it wrote it (jsonb refuses \u0000 and alters numbers)
  manifest json not null,
  manifest_fetched_at timestamptz not null,
  auth_type text not null constraint vault_entries_auth_type check (auth_type in ('bearer', 'oauth2')),
  credential text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint vault_entries_owner_origin unique (owner_id, origin)
);
create index vault_entries_list on vault_entries (owner_id, id);

-- 20261121000400-agents
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

-- 20261121000500-runs
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

-- 20261121000600-rate-limits
create unlogged table rate_limits (
  key text primary key,
  points integer not null default 0,
  expire bigint
);

-- 20261121000700-sites-in-real-life
alter table vault_entries
  -- connected: the credential is believed to be good; needs_reauth: only its owner can make it good again
  add status text not null default 'connected'
    constraint vault_entries_status check (status in ('connected', 'needs_reauth')),
  add status_reason text,
  -- raised with every new credential; whoever acts on what it knew of an older one is refused
  add generation integer not null default 1,
  -- of OAuth only: as which client, for which scopes, and how long the access token is good
  add client_id text,
  add scopes json,
  add expires_at timestamptz,
  add refresh_after timestamptz,
  -- since when the credential is the one it is; refresh tokens that nobody uses die of age
  add renewed_at timestamptz,
  add last_used_at timestamptz,
  add manifest_checked_at timestamptz;
update vault_entries set renewed_at = updated_at, manifest_checked_at = manifest_fetched_at;
alter table vault_entries
  alter renewed_at set not null,
  alter manifest_checked_at set not null;
create index vault_entries_keep_alive on vault_entries (renewed_at) where auth_type = 'oauth2' and status = 'connected';
create index vault_entries_check on vault_entries (manifest_checked_at);

-- Every attempt to refresh an access token: written before the request leaves (the intent), held while it is under
-- way (the lease), and kept afterwards (the history).
create table vault_refreshes (
  id text primary key,
  entry_id text not null constraint vault_refreshes_entry_fk references vault_entries (id) on delete cascade,
  -- the generation of the credential whose refresh token was sent
  generation integer not null,
  cause text not null constraint vault_refreshes_cause check (cause in ('expiry', 'unauthorized', 'keep_alive')),
  started_at timestamptz not null,
  lease_until timestamptz not null,
  -- when somebody first asked for an expired lease
  contested_at timestamptz,
  ended_at timestamptz,
  outcome text constraint vault_refreshes_outcome
    check (outcome in ('refreshed', 'refused', 'not_sent', 'failed', 'ambiguous', 'abandoned')),
  error text,
  -- when the site wants to be asked again
  retry_at timestamptz,
  rotated boolean,
  constraint vault_refreshes_ended check ((ended_at is null) = (outcome is null))
);
create unique index vault_refreshes_one_open on vault_refreshes (entry_id) where ended_at is null;
create index vault_refreshes_list on vault_refreshes (entry_id, id);

-- An owner's attempt to connect a site by OAuth, from start to callback.
create table oauth_flows (
  id text primary key,
  owner_id text not null constraint oauth_flows_owner_fk references users (id),
  -- set when an existing entry is authorised again
  entry_id text constraint oauth_flows_entry_fk references vault_entries (id) on delete cascade,
  origin text not null,
  manifest json not null,
  client_id text not null,
  scopes json not null,
  -- of the address that the browser opens, of the state that goes to the site, of the cookie that binds the two
  ticket_hash text not null constraint oauth_flows_ticket unique,
  state_hash text constraint oauth_flows_state unique,
  binding_hash text,
  verifier text,
  status text not null constraint oauth_flows_status check (status in ('pending', 'exchanging', 'connected', 'failed')),
  -- what became of it, in a code of the catalogue and in words
  code text,
  message text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz
);
create index oauth_flows_expired on oauth_flows (expires_at);

-- What is known of hosts that tools are called at, across all processes.
create table outgoing_hosts (
  host text primary key,
  held_until timestamptz,
  held_reason text,
  suspended_at timestamptz,
  suspended_by text,
  suspended_reason text
);
-- One row for each call that counts against its host's limit; a slot is free again a minute after its call ended.
create table outgoing_slots (
  id text primary key,
  host text not null,
  -- who is to have its fair share: an agent, or the owner of a direct call
  share text not null,
  taken_at timestamptz not null,
  -- null while the call is under way, and for ever if its process died
  ended_at timestamptz,
  free_at timestamptz not null
);
create index outgoing_slots_host on outgoing_slots (host, free_at);
-- Calls that were told to ask again later.
create table outgoing_waits (
  call_id text primary key,
  host text not null,
  share text not null,
  asked_at timestamptz not null,
  ask_again_at timestamptz not null
);
create index outgoing_waits_host on outgoing_waits (host, asked_at);

alter table tool_calls
  -- sends that are known to have done nothing (401, 429): they do not count as attempts that failed
  add harmless integer not null default 0,
  -- the generation of the credential under which the site answered 401 to it
  add refused_generation integer,
  -- an attempt at it may have taken effect, although a later one certainly has not
  add in_doubt boolean not null default false,
  add wait_cause text constraint tool_calls_wait_cause check (wait_cause in ('rate_limit', 'credential')),
  add not_before timestamptz;
create index tool_calls_parked on tool_calls (run_id, vault_entry_id)
  where wait_cause = 'credential' and status in ('planned', 'started');
create index tool_calls_open_direct on tool_calls (started_at) where origin = 'direct' and status = 'started';

alter table runs
  add waiting_cause text constraint runs_waiting_cause check (waiting_cause in ('rate_limit', 'credential')),
  add waiting_for text,
  add waiting_since timestamptz,
  add waiting_until timestamptz;
create index runs_waiting on runs (waiting_until) where status = 'waiting';
create index runs_cancelling on runs (cancel_requested_at)
  where status in ('running', 'waiting') and cancel_requested_at is not null;

-- 20261121000800-vault-canaries
-- One known text sealed under each vault key, so that a start with other keys is noticed before anything is read or
-- written under them.
create table vault_canaries (
  key_name text primary key,
  sealed text not null,
  created_at timestamptz not null,
  -- since when nothing is sealed under the key, so that it need not be configured any more
  retired_at timestamptz
);

-- 20261121000900-notifications
create table notifications (
  id text primary key,
  owner_id text not null constraint notifications_owner_fk references users (id),
  kind text not null constraint notifications_kind check (kind in ('credential_dead', 'manifest_changed')),
  -- what it is about, a vault entry for example; it may be gone by the time this is read
  subject_id text not null,
  -- which state of the subject: the owner is told once of each
  dedupe_key text not null,
  title text not null,
  message text not null,
  created_at timestamptz not null,
  -- none: no mail server was configured when it was made, and it is not mailed later either
  mail_status text not null
    constraint notifications_mail_status check (mail_status in ('none', 'pending', 'sent', 'failed')),
  mail_attempts integer not null default 0,
  -- when it is tried next; set before each attempt, so that a crash does not mail it twice in a row
  mail_next_at timestamptz,
  mailed_at timestamptz,
  constraint notifications_once unique (owner_id, kind, subject_id, dedupe_key),
  constraint notifications_mail_next check ((mail_status = 'pending') = (mail_next_at is not null)),
  constraint notifications_mailed check ((mail_status = 'sent') = (mailed_at is not null))
);
create index notifications_list on notifications (owner_id, id);
create index notifications_unmailed on notifications (mail_next_at) where mail_status = 'pending';

-- 20261121001000-manifest-changes
-- What was found when a site's manifest had changed: taken over at once, or kept until its owner decides.
create table manifest_changes (
  id text primary key,
  entry_id text not null constraint manifest_changes_entry_fk references vault_entries (id) on delete cascade,
  class text not null constraint manifest_changes_class
    check (class in ('text', 'compatible', 'new_scope', 'breaking', 'changed_address')),
  differences json not null,
  -- the whole new one; json, not jsonb: what a site wrote is kept as it wrote it
  manifest json not null,
  fingerprint text not null,
  status text not null constraint manifest_changes_status
    check (status in ('adopted', 'pending', 'accepted', 'superseded', 'withdrawn')),
  found_at timestamptz not null,
  decided_at timestamptz,
  constraint manifest_changes_decided check ((decided_at is null) = (status = 'pending'))
);
create unique index manifest_changes_one_pending on manifest_changes (entry_id) where status = 'pending';
create index manifest_changes_list on manifest_changes (entry_id, id);

-- 20261121001200-refresh-history
-- What was tried with the present refresh token is looked up before every attempt.
create index vault_refreshes_generation on vault_refreshes (entry_id, generation);

-- 20261121001300-triggers
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

-- 20261121001400-owed-fires
-- fires at or before recorded_until that have no row yet: due before the last change, and fires of the present state
alter table schedules add column owed timestamptz[] not null default '{}';

-- 20261121001500-claimed-by
-- the execution of the queue's workflow that has claimed the running run, for claims that come twice
alter table agent_queues add column claimed_by text;

-- 20261121001600-runs-by-state
-- for lists of one state; most runs have completed, and those are found soon without it
create index runs_state_list on runs (owner_id, status, id) where status <> 'completed';

-- 20261121001700-retention
-- What is purged is looked for oldest first, a few rows at a time: a B-tree has them in that order and stops after
-- them. A BRIN index would have every old row read and sorted for each batch, and rows do not lie in the order of
-- their ends anyway: space that was purged is used again. Partial: a run that is accepted is not in it.
create index runs_ended_list on runs (ended_at) where ended_at is not null;
create index tool_calls_ended_direct on tool_calls (ended_at) where origin = 'direct' and ended_at is not null;

-- 20261122000100-due-agents
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

-- 20261122000200-attempts
alter table runs
  -- the model call of the step that is not on record yet: the latest attempt, counted from 1, and when it began
  add column attempt integer not null default 0,
  add column attempted_at timestamptz,
  -- the latest attempt that is known to have failed, how, and when its provider wants to be asked again
  add column failed_attempt integer,
  add column failed_at timestamptz,
  add column failure text,
  add column retry_at timestamptz;
alter table tool_calls
  -- the latest attempt that is known to have failed; one that was begun and has not failed may have been lost
  add column failed_attempt integer;

update runs r
   set attempt = e.attempt, attempted_at = e.attempted_at, failed_attempt = e.failed_attempt
  from (select run_id, (data->>'step')::int as step,
               coalesce(max((data->>'attempt')::int) filter (where kind = 'step.started'), 0) as attempt,
               max(at) filter (where kind = 'step.started') as attempted_at,
               max((data->>'attempt')::int) filter (where kind = 'step.failed') as failed_attempt
          from run_events
         where kind in ('step.started', 'step.failed')
         group by run_id, (data->>'step')::int) e
 where r.ended_at is null and e.run_id = r.id and e.step = r.steps + 1;
update tool_calls c
   set failed_attempt = (select max((e.data->>'attempt')::int) from run_events e
                          where e.run_id = c.run_id and e.kind = 'tool.failed' and e.data->>'callId' = c.id)
 where c.status in ('planned', 'started') and c.run_id is not null;

-- Knex' own tables
create table migrations (
  id serial primary key,
  name varchar(255),
  batch integer,
  migration_time timestamptz
);
create table migrations_lock (index serial primary key, is_locked integer);
insert into migrations_lock (is_locked) values (0);
insert into migrations (name, batch, migration_time) values
  ('20261121000100-users', 1, now()),
  ('20261121000200-billing', 1, now()),
  ('20261121000300-vault', 1, now()),
  ('20261121000400-agents', 1, now()),
  ('20261121000500-runs', 1, now()),
  ('20261121000600-rate-limits', 1, now()),
  ('20261121000700-sites-in-real-life', 1, now()),
  ('20261121000800-vault-canaries', 1, now()),
  ('20261121000900-notifications', 1, now()),
  ('20261121001000-manifest-changes', 1, now()),
  ('20261121001200-refresh-history', 1, now()),
  ('20261121001300-triggers', 1, now()),
  ('20261121001400-owed-fires', 1, now()),
  ('20261121001500-claimed-by', 1, now()),
  ('20261121001600-runs-by-state', 1, now()),
  ('20261121001700-retention', 1, now()),
  ('20261122000100-due-agents', 1, now()),
  ('20261122000200-attempts', 1, now());
