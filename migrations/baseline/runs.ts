/**
 * Runs, and the keys of their requests. A run's row is updated about a dozen times. No index names a column that a step
 * changes, and a part of each page is free, so that new row versions stay within their page (HOT). Large or insert-only
 * data is in the tables of timelines.
 */
export const runs = `
  create table runs (
    id uuid not null,
    agent_id uuid not null,
    owner_id uuid not null,
    -- the finished run that this one replays; may be purged
    replay_of uuid,
    -- for a replay: the first run of the chain
    first_run_id uuid,
    sequence bigint not null,
    accepted_at timestamptz not null,
    progressed_at timestamptz not null,
    started_at timestamptz,
    ended_at timestamptz,
    cancel_requested_at timestamptz,
    waiting_since timestamptz,
    waiting_until timestamptz,
    -- since when it has found no place in a worker, or at the provider no_place_at
    no_place_since timestamptz,
    waited_ms bigint not null default 0,
    input_tokens bigint not null default 0,
    output_tokens bigint not null default 0,
    cached_tokens bigint,
    -- in billionths of a USD; null if one model call's price is unknown
    cost_nano_usd bigint default 0,
    -- the model call of the unrecorded step: when its latest attempt began, when one failed, and when its provider
    -- allows a retry
    attempted_at timestamptz,
    failed_at timestamptz,
    retry_at timestamptz,
    -- since when it has kept failing although the model answers others, and when the run tries again
    model_failing_since timestamptz,
    model_retry_at timestamptz,
    -- the part of waited_ms spent waiting for its model
    outage_ms bigint not null default 0,
    trigger run_trigger not null,
    status run_status not null,
    -- raised whenever an execution takes the run over; every write of a worker names its epoch
    epoch integer not null default 0,
    steps integer not null default 0,
    -- the version of its agent when it was claimed; null before that
    agent_version integer,
    -- for the unrecorded step: how many attempts count, the number of the latest, from 1, and the latest known to have
    -- failed
    step_attempts integer not null default 0,
    attempt integer not null default 0,
    failed_attempt integer,
    -- consecutive failed rounds although the model answers others
    model_rounds integer not null default 0,
    -- the step since which the fallback model is used, and whether only because its own model was out
    fallback_since integer,
    own_model_was_out boolean,
    -- consecutive answers that did not count
    corrections integer,
    -- the last step whose results the model sees shortened, and the last step that it does not see
    shortened_through integer,
    left_out_through integer,
    -- prompt bytes per token, by its latest step
    bytes_per_token real,
    tool_calls integer not null default 0,
    credits integer not null default 0,
    events integer not null default 0,
    request_id text not null,
    waiting_cause text,
    waiting_for text,
    no_place_at text,
    failure text,
    reason text,
    error text,
    cancel_reason text,
    constraint runs_pkey primary key (id),
    constraint runs_agent_fk foreign key (agent_id) references agents (id),
    constraint runs_owner_fk foreign key (owner_id) references owners (id),
    constraint runs_sequence unique (agent_id, sequence),
    constraint runs_waiting_cause check
      (waiting_cause in ('rate_limit', 'credential', 'approval', 'job', 'paused', 'credits', 'model')),
    constraint runs_ended check ((ended_at is null) = (status in ('queued', 'running', 'waiting')))
  ) with (fillfactor = 85);
  -- the last safeguard against two concurrent runs of one agent
  create unique index runs_one_active on runs (agent_id) where status in ('running', 'waiting');
  create index runs_unfinished on runs (agent_id, sequence) where status in ('queued', 'running', 'waiting');
  create index runs_list on runs (owner_id, id);
  create index runs_replays on runs (first_run_id) where first_run_id is not null;
  -- Filters read and merge one entry per pair of state and trigger, so rare ones are found as fast as others.
  create index runs_filter on runs (owner_id, status, trigger, id);
  create index runs_agent_filter on runs (agent_id, status, trigger, sequence);
  -- The purge reads oldest first, a few rows at a time. A B-tree has them in that order and stops after them. Partial,
  -- so that accepting a run does not write it.
  create index runs_ended on runs (ended_at) where ended_at is not null;
  -- The latest failures, whatever else the owner or the agent has. Only a run that fails writes them.
  create index runs_failed on runs (owner_id, ended_at) where status = 'failed';
  create index runs_agent_failed on runs (agent_id, ended_at) where status = 'failed';

  -- The instructions of an agent's runs from a sequence until the next row. Written when a run is claimed under changed
  -- instructions. Runs are claimed in the order of their sequence.
  create table agent_prompts (
    agent_id uuid not null,
    since_sequence bigint not null,
    allow_action_override boolean not null,
    summarizes boolean not null,
    system_prompt text not null,
    model text,
    fallback_model text,
    webhook_schema json,
    output_schema json,
    constraint agent_prompts_pkey primary key (agent_id, since_sequence),
    constraint agent_prompts_agent_fk foreign key (agent_id) references agents (id)
  );

  -- The run that an agent accepted under an idempotency key, and the SHA-256 of its body. Kept as long as the run.
  create table idempotency_keys (
    agent_id uuid not null,
    run_id uuid not null,
    key text not null,
    body_hash bytea,
    constraint idempotency_keys_pkey primary key (agent_id, key),
    constraint idempotency_keys_run_fk foreign key (run_id) references runs (id) on delete cascade
  );
  create index idempotency_keys_run on idempotency_keys (run_id);
`
