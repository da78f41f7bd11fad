/**
 * The content of sessions: user messages and answers. Both share one sequence of numbers, their order of arrival. The
 * steps and tool calls of answers are in `steps` and `tool_calls`; they are deleted with their session. An answer whose
 * reader is gone has no words to show, but the effects of its calls stay on record.
 */
export const chat = `
  create table chat_messages (
    session_id uuid not null,
    number integer not null,
    id uuid not null,
    -- the preceding answer, or message without an answer; null at the beginning
    parent_id uuid,
    created_at timestamptz not null,
    -- the client's id of the message
    client_id text,
    -- any text; a text that Postgres rejects is stored as JSON, behind a mark
    text text not null,
    constraint chat_messages_pkey primary key (session_id, number),
    constraint chat_messages_id_unique unique (id),
    constraint chat_messages_session_fk foreign key (session_id) references sessions (id) on delete cascade
  );
  create index chat_messages_of_client on chat_messages (session_id, client_id) where client_id is not null;

  create table chat_answers (
    session_id uuid not null,
    number integer not null,
    id uuid not null,
    owner_id uuid not null,
    -- the message that it answers
    message_id uuid not null,
    created_at timestamptz not null,
    started_at timestamptz,
    ended_at timestamptz,
    -- the start of its wait for approvals, and the length of earlier waits
    waiting_since timestamptz,
    waited_ms bigint not null default 0,
    -- the process that writes it, and when its lease ends, by the database's clock; null if a process may take it up
    writer uuid,
    writer_until timestamptz,
    -- how often another process went on with it after its own had ended
    takeovers integer not null default 0,
    stop_requested_at timestamptz,
    steps integer not null default 0,
    -- consecutive steps that did not count
    corrections integer,
    tool_calls integer not null default 0,
    input_tokens bigint not null default 0,
    output_tokens bigint not null default 0,
    cached_tokens bigint not null default 0,
    credits bigint not null default 0,
    -- in billionths of a USD; null if one model call's price is unknown
    cost_nano_usd bigint default 0,
    status text not null,
    on_disconnect text not null,
    model text not null,
    finish text,
    error_code text,
    error_message text,
    -- the Idempotency-Key of its request, and the SHA-256 of the content, in hex
    request_key text,
    request_hash text,
    constraint chat_answers_pkey primary key (session_id, number),
    constraint chat_answers_id_unique unique (id),
    constraint chat_answers_request unique (session_id, request_key),
    constraint chat_answers_session_fk foreign key (session_id) references sessions (id) on delete cascade,
    constraint chat_answers_on_disconnect check (on_disconnect in ('cancel', 'continue')),
    constraint chat_answers_status
      check (status in ('queued', 'running', 'waiting', 'completed', 'stopped', 'failed')),
    constraint chat_answers_ended check ((ended_at is null) = (status in ('queued', 'running', 'waiting'))),
    constraint chat_answers_error check ((error_code is null) = (error_message is null)),
    constraint chat_answers_failed check ((status = 'failed') = (error_code is not null)),
    constraint chat_answers_request_hash check ((request_key is null) = (request_hash is null))
  ) with (fillfactor = 70);
  -- A session writes one answer at a time. A second one fails to start.
  create unique index chat_answers_running on chat_answers (session_id) where status = 'running';
  create index chat_answers_open on chat_answers (session_id, number) where ended_at is null;
  -- Without the lease, which changes each second: the row then changes in place.
  create index chat_answers_written on chat_answers (id) where status in ('queued', 'running');
  create index chat_answers_ended_at on chat_answers (ended_at) where ended_at is not null;
`
