/** What persons are asked about tool calls: whether to make them, and what sites want to know in the middle of them. */
export const approvals = `
  create table approvals (
    id uuid not null,
    owner_id uuid not null,
    -- the call, and its run or its chat answer with the session
    call_id uuid not null,
    run_id uuid,
    agent_id uuid,
    session_id uuid,
    answer_id uuid,
    requested_at timestamptz not null,
    expires_at timestamptz not null,
    decided_at timestamptz,
    -- the user who approved or refused it
    decided_by uuid,
    status text not null,
    site_origin text not null,
    tool text not null,
    -- the JSON text of the arguments, sent exactly as stored
    arguments text not null,
    -- SHA-256 of that text, in hex
    arguments_hash text not null,
    -- a note for the model about a refusal
    note text,
    -- 0: whether to make the call; from 1: what the site asked during it, as a form, with what its next request carries
    form_number integer not null default 0,
    form text,
    site_state text,
    -- the values given, as the JSON text of an object; recorded before they are sent
    input text,
    constraint approvals_pkey primary key (id),
    constraint approvals_call_unique unique (call_id, form_number),
    constraint approvals_owner_fk foreign key (owner_id) references owners (id),
    constraint approvals_status check (status in ('pending', 'approved', 'refused', 'expired', 'withdrawn')),
    constraint approvals_decided check ((status = 'pending') = (decided_at is null)),
    constraint approvals_by check ((decided_by is null) = (status not in ('approved', 'refused'))),
    constraint approvals_form check ((form_number = 0) = (form is null) and (form is null) = (site_state is null)),
    constraint approvals_input check ((input is not null) = (form is not null and status = 'approved')),
    constraint approvals_of check ((run_id is null) <> (answer_id is null)),
    constraint approvals_of_run check ((run_id is null) = (agent_id is null)),
    constraint approvals_of_answer check ((answer_id is null) = (session_id is null))
  );
  create index approvals_list on approvals (owner_id, id);
  create index approvals_filter on approvals (owner_id, status, id);
  create index approvals_agent_filter on approvals (agent_id, status, id) where agent_id is not null;
  create index approvals_session_filter on approvals (session_id, status, id) where session_id is not null;
  create index approvals_of_runs on approvals (run_id) where run_id is not null;
  create index approvals_of_answers on approvals (answer_id) where answer_id is not null;
  create index approvals_open on approvals (expires_at) where status = 'pending';
`
