/** Chat sessions: what their messages may use, and the hash of their token. */
export const sessions = `
  create table sessions (
    id uuid not null,
    owner_id uuid not null,
    -- the member who created it for a workspace; null: the owner is a user
    user_id uuid,
    -- the API key that created it, if any; the session ends with the key
    api_key_id uuid,
    created_at timestamptz not null,
    used_at timestamptz not null,
    expires_at timestamptz not null,
    ended_at timestamptz,
    -- the number of its last message or answer
    last_number integer not null,
    -- whether its model summarizes what a long chat leaves out of its prompts
    summarizes boolean not null default false,
    token_hash text not null,
    -- what happens to an answer whose reader disconnects
    on_disconnect text not null,
    model text,
    -- the model that goes on with an answer if that one fails
    fallback_model text,
    title text,
    constraint sessions_pkey primary key (id),
    constraint sessions_token_unique unique (token_hash),
    constraint sessions_owner_fk foreign key (owner_id) references owners (id),
    constraint sessions_user_fk foreign key (user_id) references users (id),
    constraint sessions_on_disconnect check (on_disconnect in ('cancel', 'continue'))
  ) with (fillfactor = 80);
  create index sessions_list on sessions (owner_id, id);
  -- usable sessions, and the order of deletion
  create index sessions_living on sessions (owner_id, expires_at) where ended_at is null;
  create index sessions_over on sessions ((coalesce(ended_at, expires_at)));
  create index sessions_of_key on sessions (api_key_id) where api_key_id is not null;
  create index sessions_user on sessions (user_id);

  create table session_sites (
    session_id uuid not null,
    vault_entry_id uuid not null,
    position integer not null,
    -- names of the tools that it may use; null: all of the site's
    tools json,
    -- names of the tools that need an approval; null: the platform's default
    ask_first json,
    constraint session_sites_pkey primary key (session_id, vault_entry_id),
    constraint session_sites_session_fk foreign key (session_id) references sessions (id) on delete cascade,
    constraint session_sites_vault_entry_fk foreign key (vault_entry_id) references vault_entries (id) on delete cascade
  );
  create index session_sites_vault_entry on session_sites (vault_entry_id);
`
