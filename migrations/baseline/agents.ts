/** Agents, their allowed sites, their queues, and the reconciler's schedule. */
export const agents = `
  create table agents (
    id uuid not null,
    owner_id uuid not null,
    -- null: the user was deleted
    created_by uuid,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    paused_at timestamptz,
    deleted_at timestamptz,
    previous_webhook_secret_until timestamptz,
    -- since when it exceeds the tier's limits
    exceeding_since timestamptz,
    -- when it came to its present owner, and the sequence of its last run for the previous owner; null: created there.
    -- The present owner does not see the previous owner's runs.
    moved_at timestamptz,
    moved_sequence bigint,
    credits_per_month bigint,
    -- the number of its latest version
    version integer not null default 1,
    allow_action_override boolean not null,
    summarizes boolean not null,
    trigger run_trigger not null,
    -- why the platform paused it; null if its owner did
    paused_reason text,
    name text not null,
    system_prompt text not null,
    cron text,
    time_zone text,
    webhook_secret text not null,
    -- how senders prove themselves
    webhook_proof text not null,
    -- sealed like the current one; valid until the given time
    previous_webhook_secret text,
    -- where endings of runs are posted, and the sealed secret that signs them
    callback_url text,
    callback_secret text,
    model text,
    fallback_model text,
    webhook_schema json,
    output_schema json,
    constraint agents_pkey primary key (id),
    constraint agents_owner_fk foreign key (owner_id) references owners (id),
    constraint agents_creator_fk foreign key (created_by) references users (id) on delete set null,
    constraint agents_cron check ((trigger = 'scheduled') = (cron is not null and time_zone is not null)),
    constraint agents_webhook_proof check
      (webhook_proof in ('secret', 'standard-webhooks', 'github', 'gitlab', 'stripe', 'shopify', 'slack')),
    constraint agents_previous_secret
      check ((previous_webhook_secret is null) = (previous_webhook_secret_until is null)),
    constraint agents_callback check (callback_url is null or callback_secret is not null),
    constraint agents_paused_reason check
      (paused_reason is null or paused_at is not null and paused_reason = 'MODEL_UNAVAILABLE'),
    constraint agents_moved check ((moved_at is null) = (moved_sequence is null))
  );
  create index agents_list on agents (owner_id, id) where deleted_at is null;
  create index agents_creator on agents (created_by) where created_by is not null;
  create index agents_former_secrets on agents (previous_webhook_secret_until)
    where previous_webhook_secret_until is not null;

  create table agent_sites (
    agent_id uuid not null,
    vault_entry_id uuid not null,
    position integer not null,
    -- names of the tools that the agent may use; null: all of the site's
    tools json,
    -- names of the tools that need an approval; null: none
    ask_first json,
    constraint agent_sites_pkey primary key (agent_id, vault_entry_id),
    constraint agent_sites_agent_fk foreign key (agent_id) references agents (id) on delete cascade,
    constraint agent_sites_vault_entry_fk foreign key (vault_entry_id) references vault_entries (id) on delete cascade
  );
  create index agent_sites_vault_entry on agent_sites (vault_entry_id);

  -- An agent's fields after each change of them. Runs keep the number of theirs. The number is not a foreign key,
  -- because old versions are deleted. Neither is the user, as in the audit log.
  create table agent_versions (
    agent_id uuid not null,
    actor_id uuid,
    -- the login or the API key
    via_id uuid,
    at timestamptz not null,
    version integer not null,
    restored_from integer,
    -- of the fields
    bytes integer not null,
    via text not null,
    changed json not null,
    fields json not null,
    constraint agent_versions_pkey primary key (agent_id, version),
    constraint agent_versions_agent_fk foreign key (agent_id) references agents (id),
    constraint agent_versions_via check (via in ('login', 'api-key', 'mail', 'command', 'platform'))
  );

  -- Sites removed from the vault while agents used them. The next runs must report them as missing.
  create table agent_lost_sites (
    agent_id uuid not null,
    origin text not null,
    name text not null,
    lost_at timestamptz not null,
    constraint agent_lost_sites_pkey primary key (agent_id, origin),
    constraint agent_lost_sites_agent_fk foreign key (agent_id) references agents (id) on delete cascade
  );

  -- The latest refused deliveries of an agent that had proved their sender, newest first, and a count of failed proofs.
  -- Written at most once a second by each process.
  create table refused_deliveries (
    agent_id uuid not null,
    items jsonb not null,
    -- null: none
    proof_failures jsonb,
    constraint refused_deliveries_pkey primary key (agent_id),
    constraint refused_deliveries_agent_fk foreign key (agent_id) references agents (id) on delete cascade
  );

  -- One row per agent. Its lock orders everything that accepts, claims or ends the agent's runs. Every run updates it
  -- several times. No index names a column that all of these change, and half of each page is free, so that new row
  -- versions stay within their page (HOT).
  create table agent_queues (
    agent_id uuid not null,
    running_run_id uuid,
    last_sequence bigint not null default 0,
    progressed_at timestamptz not null,
    signalled_at timestamptz not null,
    blocked_since timestamptz,
    unfinished integer not null default 0,
    -- the epoch given to claimed_by; under a later one, another execution may claim
    claimed_epoch integer,
    awake boolean not null default false,
    -- the execution of the queue's workflow that claimed the running run, to recognise repeated claims
    claimed_by text,
    -- why queued runs do not start although none is running
    blocked_cause text,
    constraint agent_queues_pkey primary key (agent_id),
    constraint agent_queues_agent_fk foreign key (agent_id) references agents (id),
    constraint agent_queues_unfinished check (unfinished >= 0),
    constraint agent_queues_blocked_cause check (blocked_cause in ('paused', 'tier', 'past_due', 'credits')),
    constraint agent_queues_blocked check ((blocked_cause is null) = (blocked_since is null))
  ) with (fillfactor = 50);

  -- When the reconciler must check an agent. A transaction that changes a fact that needs action inserts a row. An
  -- agent may have several rows, and there is no foreign key, so an insert never waits for a lock.
  create table due_agents (
    id bigint generated always as identity,
    agent_id uuid not null,
    due_at timestamptz not null,
    constraint due_agents_pkey primary key (id)
  );
  create index due_agents_due on due_agents (due_at);
  create index due_agents_agent on due_agents (agent_id);
`
