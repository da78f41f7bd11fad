/**
 * Inputs and events of runs, and the steps and tool calls of runs and of answers in chats, their _subjects_. Partitioned
 * by the id of the run or answer, which contains its time of arrival. Retention drops an old partition as a whole once no
 * run or answer of its week is left. There are no foreign keys, because deleting a run would search these tables; each
 * row is written under the lock of its run or answer. The default partitions are a safety net for ids whose time has no
 * partition.
 */
export const timelines = `
  -- Insert-only. The payload is the original text; jsonb would reject or alter some.
  create table run_inputs (
    run_id uuid not null,
    payload text not null,
    -- the sender's headers about the payload; null if there are none
    headers json,
    -- for a delivery: instructions in the payload that may replace the agent's prompt
    action text,
    constraint run_inputs_pkey primary key (run_id)
  ) partition by range (run_id);
  create table run_inputs_default partition of run_inputs default;

  create table steps (
    -- the run, or the answer of a chat
    subject_id uuid not null,
    step integer not null,
    input_tokens integer not null,
    output_tokens integer not null,
    -- input tokens that the provider had cached
    cached_tokens integer,
    -- in billionths of a USD; null if no price was known
    cost_nano_usd bigint,
    credits integer not null,
    latency_ms integer not null,
    recorded_at timestamptz not null,
    finish step_finish not null,
    -- of an answer: the bytes of its prompt that were one token, up to which exchange of the conversation the prompt had
    -- shortened results, and up to which it had nothing. A run has its own.
    bytes_per_token real,
    shortened_through integer,
    left_out_through integer,
    model text not null,
    -- any text, like the texts of calls; a text that Postgres rejects is stored as JSON, behind a mark
    answer text not null,
    -- the answer's parts as its provider wants them back, as JSON text; null if the answer and the calls are enough
    content text,
    -- why the answer did not count, and the note to the model; 'summary' for a summary of earlier steps
    outcome text,
    remark text,
    -- the answer's value under the output schema, as JSON text: numbers of any size stay as the model wrote them
    output text,
    constraint steps_pkey primary key (subject_id, step)
  ) partition by range (subject_id);
  create table steps_default partition of steps default;

  create table tool_calls (
    subject_id uuid not null,
    step integer not null,
    position integer not null,
    id uuid not null,
    vault_entry_id uuid,
    planned_at timestamptz not null,
    started_at timestamptz,
    ended_at timestamptz,
    not_before timestamptz,
    effect tool_effect not null,
    status tool_call_status not null,
    attempts integer not null default 0,
    http_status integer,
    -- attempts that certainly did nothing (401, 429); they do not count as failed
    refused_attempts integer not null default 0,
    -- attempts that the site answered with a form; they do not count as failed
    forms integer not null default 0,
    -- the credential's generation when the site answered 401
    refused_generation integer,
    -- the latest attempt known to have failed; a begun attempt that has not failed may have been lost
    failed_attempt integer,
    -- an attempt may have taken effect, although a later one certainly did not
    in_doubt boolean not null default false,
    -- somebody was asked to approve it when it was planned
    asks_first boolean not null default false,
    -- the model's id of the call
    model_call_id text,
    -- the name that the model used, and its meaning; both null when the model made the name up
    name text not null,
    site_origin text,
    tool text,
    wait_cause text,
    arguments text not null,
    result text,
    -- what the site works on, and how it is asked about that
    job json,
    constraint tool_calls_pkey primary key (subject_id, step, position),
    constraint tool_calls_wait_cause check (wait_cause in ('rate_limit', 'credential', 'approval', 'job'))
  ) partition by range (subject_id);
  create table tool_calls_default partition of tool_calls default;

  create table run_events (
    run_id uuid not null,
    at timestamptz not null,
    number integer not null,
    kind run_event_kind not null,
    -- without the default data of its kind
    data json not null,
    constraint run_events_pkey primary key (run_id, number)
  ) partition by range (run_id);
  create table run_events_default partition of run_events default;

  -- Creates the missing partitions from the week of one time to the week of the other, Monday to Sunday (UTC), and
  -- returns their names. Rows in a default partition move over. Attaching locks only the default partition, which is
  -- usually empty; creating in place would lock the whole table.
  create function ensure_partitions(since timestamptz, until timestamptz) returns setof text language plpgsql as $$
  declare
    parent text;
    key text;
    partition text;
    week timestamp;
    low uuid;
    high uuid;
  begin
    for week in select generate_series(date_trunc('week', since at time zone 'UTC'), until at time zone 'UTC', '7 days')
    loop
      low := least_id(week);
      high := least_id(week + interval '7 days');
      for parent, key in values ('run_inputs', 'run_id'), ('run_events', 'run_id'),
                                ('steps', 'subject_id'), ('tool_calls', 'subject_id')
      loop
        partition := parent || '_' || to_char(week, 'YYYYMMDD');
        continue when to_regclass(partition) is not null;
        execute format('create table %I (like %I including all)', partition, parent);
        execute format('lock table %I in access exclusive mode', parent || '_default');
        execute format('with moved as (delete from %1$I where %2$I >= $1 and %2$I < $2 returning *)
                        insert into %3$I select * from moved', parent || '_default', key, partition) using low, high;
        execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, partition, low, high);
        return next partition;
      end loop;
    end loop;
  end
  $$;

  -- The least UUIDv7 of a moment (UTC): its first 48 bits are the milliseconds since 1970 (RFC 9562, 5.7).
  create function least_id(moment timestamp) returns uuid language sql immutable
    return rpad(lpad(to_hex((extract(epoch from moment) * 1000)::bigint), 12, '0'), 32, '0')::uuid;
`
