/** Connected sites with their sealed credentials, refreshes, attempts to connect, and manifest changes. */
export const vault = `
  create table vault_entries (
    id uuid not null,
    owner_id uuid not null,
    -- the user who connected it; null: the user was deleted
    connected_by uuid,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    manifest_fetched_at timestamptz not null,
    manifest_checked_at timestamptz not null,
    -- when its list of tools becomes stale; null: the site does not say it
    manifest_stale_at timestamptz,
    -- since when a check is wanted before the daily one
    manifest_wanted_at timestamptz,
    expires_at timestamptz,
    refresh_after timestamptz,
    -- since when the credential is current; unused refresh tokens expire by age
    renewed_at timestamptz not null,
    last_used_at timestamptz,
    -- when the site first accepted the current credential; null: not tried yet
    accepted_at timestamptz,
    -- when it came to its present owner; null: connected there
    moved_at timestamptz,
    -- since when it exceeds the tier's limits
    exceeding_since timestamptz,
    -- raised with every new credential; an action based on an older one is refused
    generation integer not null default 1,
    -- how the site is spoken to
    dialect text not null,
    origin text not null,
    name text not null,
    auth_type text not null,
    -- connected: the credential should work; needs_reauth: only its owner can fix it
    status text not null default 'connected',
    status_reason text,
    -- OAuth only: the client that holds the grant, and the granted scopes
    client_id text,
    scopes json,
    -- OAuth with an authorization server that knows nothing of the platform: its own scopes, granted and asked for
    foreign_scopes json,
    -- the granted scopes, in a sentence, if no tool can be called with them
    scope_note text,
    credential text not null,
    -- json, not jsonb: stored as the site wrote it (jsonb rejects \\u0000 and alters numbers)
    manifest json not null,
    -- by tool: what the owner confirmed of the effects that the site only proposes
    confirmed_effects json not null default '{}',
    constraint vault_entries_pkey primary key (id),
    constraint vault_entries_owner_fk foreign key (owner_id) references owners (id),
    constraint vault_entries_connector_fk foreign key (connected_by) references users (id) on delete set null,
    constraint vault_entries_owner_origin unique (owner_id, origin),
    constraint vault_entries_auth_type check (auth_type in ('none', 'bearer', 'oauth2')),
    constraint vault_entries_status check (status in ('connected', 'needs_reauth'))
  );
  create index vault_entries_list on vault_entries (owner_id, id);
  create index vault_entries_keep_alive on vault_entries (renewed_at)
    where auth_type = 'oauth2' and status = 'connected';
  create index vault_entries_connector on vault_entries (connected_by, owner_id) where connected_by is not null;
  create index vault_entries_check on vault_entries (manifest_checked_at);
  create index vault_entries_wanted on vault_entries (manifest_wanted_at) where manifest_wanted_at is not null;

  -- One known text sealed under each vault key, so that a start with other keys is noticed before anything is read or
  -- written.
  create table vault_canaries (
    key_name text not null,
    sealed text not null,
    created_at timestamptz not null,
    -- since when nothing is sealed under the key, so that its configuration can be removed
    retired_at timestamptz,
    constraint vault_canaries_pkey primary key (key_name)
  );

  -- Every attempt to refresh an access token: written before the request leaves (the intent), held while in progress
  -- (the lease), and kept afterwards (the history).
  create table vault_refreshes (
    id uuid not null,
    entry_id uuid not null,
    started_at timestamptz not null,
    lease_until timestamptz not null,
    -- when another process first requested an expired lease
    contested_at timestamptz,
    ended_at timestamptz,
    -- when the site allows a retry
    retry_at timestamptz,
    -- the generation of the refresh token that was sent
    generation integer not null,
    rotated boolean,
    cause text not null,
    outcome text,
    error text,
    constraint vault_refreshes_pkey primary key (id),
    constraint vault_refreshes_entry_fk foreign key (entry_id) references vault_entries (id) on delete cascade,
    constraint vault_refreshes_cause check (cause in ('expiry', 'unauthorized', 'keep_alive')),
    constraint vault_refreshes_outcome
      check (outcome in ('refreshed', 'refused', 'not_sent', 'failed', 'ambiguous', 'abandoned')),
    constraint vault_refreshes_ended check ((ended_at is null) = (outcome is null))
  );
  create unique index vault_refreshes_one_open on vault_refreshes (entry_id) where ended_at is null;
  create index vault_refreshes_list on vault_refreshes (entry_id, id);
  -- Earlier attempts with the current refresh token are looked up before every attempt.
  create index vault_refreshes_generation on vault_refreshes (entry_id, generation);

  -- Grants of removed entries, until their sites have revoked them.
  create table vault_revocations (
    id uuid not null,
    created_at timestamptz not null,
    next_at timestamptz not null,
    give_up_at timestamptz not null,
    attempts integer not null default 0,
    client_id text not null,
    -- sealed, with the client's secret if it has one
    token text not null,
    client_secret text,
    -- how the site is spoken to
    dialect text not null,
    -- json, not jsonb: the sign-in section of the site's manifest
    auth json not null,
    constraint vault_revocations_pkey primary key (id)
  );
  create index vault_revocations_due on vault_revocations (next_at);

  -- An owner's attempt to connect a site by OAuth, from start to callback.
  create table oauth_flows (
    id uuid not null,
    owner_id uuid not null,
    -- the user who started it
    user_id uuid not null,
    -- set when an existing entry is authorised again
    entry_id uuid,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    ended_at timestamptz,
    origin text not null,
    -- how the site is spoken to
    dialect text not null,
    client_id text not null,
    -- sealed; null: a public client
    client_secret text,
    scopes json not null,
    -- the scopes of an authorization server that knows nothing of the platform
    foreign_scopes json,
    -- hashes for the address that the browser opens, the state sent to the site, and the cookie that binds the two
    ticket_hash text not null,
    state_hash text,
    binding_hash text,
    verifier text,
    -- the page of the console to which the browser returns; null: a page of its own
    return_to text,
    status text not null,
    -- the outcome, as an error code and in words
    code text,
    message text,
    manifest json not null,
    constraint oauth_flows_pkey primary key (id),
    constraint oauth_flows_owner_fk foreign key (owner_id) references owners (id),
    constraint oauth_flows_user_fk foreign key (user_id) references users (id) on delete cascade,
    constraint oauth_flows_entry_fk foreign key (entry_id) references vault_entries (id) on delete cascade,
    constraint oauth_flows_ticket unique (ticket_hash),
    constraint oauth_flows_state unique (state_hash),
    constraint oauth_flows_status check (status in ('pending', 'exchanging', 'connected', 'failed'))
  );
  create index oauth_flows_owner on oauth_flows (owner_id);
  create index oauth_flows_user on oauth_flows (user_id);
  create index oauth_flows_entry on oauth_flows (entry_id);
  create index oauth_flows_expired on oauth_flows (expires_at);

  -- Descriptions of APIs that have no address.
  create table documents (
    id uuid not null,
    owner_id uuid not null,
    created_at timestamptz not null,
    bytes integer not null,
    name text not null,
    text text not null,
    constraint documents_pkey primary key (id),
    constraint documents_owner_fk foreign key (owner_id) references owners (id)
  );
  create index documents_list on documents (owner_id, id);

  -- Changes of a site's manifest: accepted immediately, or kept until its owner decides.
  create table manifest_changes (
    id uuid not null,
    entry_id uuid not null,
    found_at timestamptz not null,
    decided_at timestamptz,
    class text not null,
    status text not null,
    fingerprint text not null,
    differences json not null,
    -- the whole new manifest; json, not jsonb: stored as the site wrote it
    manifest json not null,
    constraint manifest_changes_pkey primary key (id),
    constraint manifest_changes_entry_fk foreign key (entry_id) references vault_entries (id) on delete cascade,
    constraint manifest_changes_class
      check (class in ('text', 'compatible', 'new_scope', 'breaking', 'changed_address')),
    constraint manifest_changes_status
      check (status in ('adopted', 'pending', 'accepted', 'superseded', 'withdrawn')),
    constraint manifest_changes_decided check ((decided_at is null) = (status = 'pending'))
  );
  create unique index manifest_changes_one_pending on manifest_changes (entry_id) where status = 'pending';
  create index manifest_changes_list on manifest_changes (entry_id, id);
`
