/** Direct tool calls, and shared state of the hosts that tools are called at. */
export const toolCalls = `
  create table direct_tool_calls (
    id uuid not null,
    owner_id uuid not null,
    vault_entry_id uuid not null,
    planned_at timestamptz not null,
    started_at timestamptz not null,
    ended_at timestamptz,
    effect tool_effect not null,
    status tool_call_status not null,
    attempts integer not null default 0,
    refused_attempts integer not null default 0,
    refused_generation integer,
    http_status integer,
    site_origin text not null,
    tool text not null,
    -- the client's key; a repeated request gets the outcome of the first call
    idempotency_key text,
    arguments text not null,
    result text,
    -- what the site works on, and how it is asked about that
    job json,
    constraint direct_tool_calls_pkey primary key (id),
    constraint direct_tool_calls_owner_fk foreign key (owner_id) references owners (id)
  );
  create index direct_tool_calls_owner on direct_tool_calls (owner_id);
  create unique index direct_tool_calls_key on direct_tool_calls (vault_entry_id, idempotency_key)
    where idempotency_key is not null;
  create index direct_tool_calls_list on direct_tool_calls (vault_entry_id, id);
  create index direct_tool_calls_open on direct_tool_calls (started_at) where status = 'started';
  create index direct_tool_calls_ended on direct_tool_calls (ended_at) where ended_at is not null;

  -- Bytes of payloads and tool results stored for an owner per day (UTC).
  create table stored_bytes (
    owner_id uuid not null,
    day date not null,
    bytes bigint not null,
    constraint stored_bytes_pkey primary key (owner_id, day),
    constraint stored_bytes_owner_fk foreign key (owner_id) references owners (id)
  );

  create table outgoing_hosts (
    host text not null,
    held_until timestamptz,
    held_reason text,
    suspended_at timestamptz,
    suspended_by text,
    suspended_reason text,
    -- calls per minute that an admin allows; null for OUTGOING_PER_MINUTE
    calls_per_minute integer,
    -- calls per minute that its manifest requests, and when it last did; not enforced
    proposed_per_minute integer,
    proposed_at timestamptz,
    constraint outgoing_hosts_pkey primary key (host)
  );

  -- One row per call that counts against its host's limit. A slot is free again a minute after its call ended.
  create table outgoing_slots (
    id uuid not null,
    taken_at timestamptz not null,
    -- null while the call is in progress, and forever if its process died
    ended_at timestamptz,
    free_at timestamptz not null,
    host text not null,
    -- who gets a fair share: an owner, and after a slash one of its agents, its chats or its direct calls
    share text not null,
    constraint outgoing_slots_pkey primary key (id)
  );
  create index outgoing_slots_host on outgoing_slots (host, free_at);

  -- Calls that were told to retry later.
  create table outgoing_waits (
    call_id uuid not null,
    asked_at timestamptz not null,
    ask_again_at timestamptz not null,
    host text not null,
    share text not null,
    constraint outgoing_waits_pkey primary key (call_id)
  );
  create index outgoing_waits_host on outgoing_waits (host, asked_at);
`
