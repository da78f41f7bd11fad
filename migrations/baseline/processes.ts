/** Shared state of processes: who is running, who holds which loop, and how often callers have asked. */
export const processes = `
  -- Holders of loops that must run in one process only.
  create table leases (
    name text not null,
    holder uuid not null,
    expires_at timestamptz not null,
    constraint leases_pkey primary key (name)
  );

  -- Worker processes. Each renews its row every few seconds.
  create table workers (
    id uuid not null,
    -- when it last asked Temporal for work
    polled_at timestamptz,
    started_at timestamptz not null,
    seen_at timestamptz not null,
    -- whether it is connected to Temporal and polls
    polling boolean not null,
    task_queue text not null,
    version text not null,
    constraint workers_pkey primary key (id)
  );

  -- rate-limiter-flexible expects these columns.
  create unlogged table rate_limits (
    key text not null,
    points integer not null default 0,
    expire bigint,
    constraint rate_limits_pkey primary key (key)
  );
`
