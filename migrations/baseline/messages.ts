/** Messages to owners: callbacks with every attempt, and notifications with their mails. */
export const messages = `
  -- Run endings to post to an owner's address.
  create table callbacks (
    id uuid not null,
    agent_id uuid not null,
    owner_id uuid not null,
    run_id uuid not null,
    created_at timestamptz not null,
    give_up_at timestamptz not null,
    -- when to try next; set before each attempt, so that a crash does not send it twice in a row
    next_at timestamptz,
    ended_at timestamptz,
    -- all attempts, which numbers them; and those since the run ended or its owner requested more
    attempts integer not null default 0,
    tries integer not null default 0,
    status text not null,
    url text not null,
    constraint callbacks_pkey primary key (id),
    constraint callbacks_agent_fk foreign key (agent_id) references agents (id),
    constraint callbacks_owner_fk foreign key (owner_id) references owners (id),
    constraint callbacks_run_fk foreign key (run_id) references runs (id) on delete cascade,
    constraint callbacks_once unique (run_id),
    constraint callbacks_status check (status in ('pending', 'delivered', 'failed')),
    constraint callbacks_next check ((status = 'pending') = (next_at is not null)),
    constraint callbacks_ended check ((status = 'pending') = (ended_at is null))
  );
  create index callbacks_owner on callbacks (owner_id);
  create index callbacks_due on callbacks (next_at) where status = 'pending';
  -- The earliest of each owner, so that owners take turns.
  create index callbacks_turns on callbacks (owner_id, next_at) where status = 'pending';
  create index callbacks_list on callbacks (agent_id, id);
  create index callbacks_filter on callbacks (agent_id, status, id);

  create table callback_attempts (
    callback_id uuid not null,
    attempt integer not null,
    http_status integer,
    latency_ms integer not null,
    at timestamptz not null,
    -- the outcome in one sentence
    outcome text not null,
    constraint callback_attempts_pkey primary key (callback_id, attempt),
    constraint callback_attempts_callback_fk foreign key (callback_id) references callbacks (id) on delete cascade
  );

  create table notifications (
    id uuid not null,
    owner_id uuid not null,
    -- its subject, for example a vault entry; may be deleted by the time this is read
    subject_id uuid not null,
    created_at timestamptz not null,
    -- when to try next; set before each attempt, so that a crash does not mail it twice in a row
    mail_next_at timestamptz,
    mailed_at timestamptz,
    -- read for all members of its owner
    read_at timestamptz,
    read_by uuid,
    mail_attempts integer not null default 0,
    kind text not null,
    -- a state of the subject; the owner is notified once per state
    dedupe_key text not null,
    -- none: no mail server was configured at its creation, and it is never mailed
    mail_status text not null,
    -- the console's page about it: a path below BASE_URL
    console_page text not null,
    title text not null,
    message text not null,
    constraint notifications_pkey primary key (id),
    constraint notifications_owner_fk foreign key (owner_id) references owners (id),
    constraint notifications_once unique (owner_id, kind, subject_id, dedupe_key),
    constraint notifications_kind check (kind in
      ('credential_dead', 'manifest_changed', 'queue_blocked', 'agent_failing', 'agent_paused', 'model_outage', 'schedule_missed', 'callback_failed',
       'approval_requested', 'limits_exceeded', 'top_up_off', 'subscription_past_due', 'subscription_ended',
       'workspace_offered', 'workspace_handed_over')),
    constraint notifications_mail_status check (mail_status in ('none', 'pending', 'sent', 'failed')),
    constraint notifications_mail_next check ((mail_status = 'pending') = (mail_next_at is not null)),
    constraint notifications_mailed check ((mail_status = 'sent') = (mailed_at is not null))
  );
  create index notifications_list on notifications (owner_id, id);
  create index notifications_unread on notifications (owner_id, id) where read_at is null;
  create index notifications_filter on notifications (owner_id, kind, id);
  create index notifications_unread_filter on notifications (owner_id, kind, id) where read_at is null;
  create index notifications_unmailed on notifications (mail_next_at) where mail_status = 'pending';
`
