/**
 * How people prove their identity: logins with rotating refresh tokens, API keys, mailed tokens, and second factors.
 * Tokens and codes are stored as SHA-256 hashes only.
 */
export const logins = `
  create table logins (
    id uuid not null,
    user_id uuid not null,
    -- the identity that signed in; null: a password
    identity_id uuid,
    -- the only workspace that it reaches; null: all that its user reaches
    workspace_id uuid,
    created_at timestamptz not null,
    revoked_at timestamptz,
    -- accurate to a minute
    last_used_at timestamptz not null,
    address text,
    user_agent text,
    constraint logins_pkey primary key (id),
    constraint logins_user_fk foreign key (user_id) references users (id) on delete cascade
  );
  create index logins_of_user on logins (user_id, id);
  create index logins_list on logins (user_id, id) where revoked_at is null;
  -- Finds logins that end with an identity or a workspace's provider.
  create index logins_identity on logins (identity_id) where identity_id is not null;
  create index logins_workspace on logins (workspace_id) where workspace_id is not null;

  create table refresh_tokens (
    id uuid not null,
    login_id uuid not null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    consumed_at timestamptz,
    token_hash text not null,
    constraint refresh_tokens_pkey primary key (id),
    constraint refresh_tokens_hash_unique unique (token_hash),
    constraint refresh_tokens_login_fk foreign key (login_id) references logins (id) on delete cascade
  );
  create index refresh_tokens_login_index on refresh_tokens (login_id);
  create index refresh_tokens_over on refresh_tokens (expires_at);

  create table api_keys (
    id uuid not null,
    user_id uuid not null,
    -- the key's workspace; null: its user's own resources
    workspace_id uuid,
    created_at timestamptz not null,
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz,
    -- since when it exceeds the tier's limits
    exceeding_since timestamptz,
    name text not null,
    key_hash text not null,
    scopes text[] not null,
    constraint api_keys_pkey primary key (id),
    constraint api_keys_hash_unique unique (key_hash),
    constraint api_keys_user_fk foreign key (user_id) references users (id) on delete cascade,
    constraint api_keys_workspace_fk foreign key (workspace_id) references workspaces (id),
    constraint api_keys_name_length check (char_length(name) between 1 and 1000),
    constraint api_keys_scopes_known check (scopes <@ array['read', 'write', 'decide'] and cardinality(scopes) between 1 and 3)
  );
  create index api_keys_user_index on api_keys (user_id, id);
  create index api_keys_workspace on api_keys (workspace_id, id);
  create index api_keys_live on api_keys (user_id, id) where revoked_at is null;
  create index api_keys_live_of_workspace on api_keys (workspace_id, id) where revoked_at is null;

  -- One-time tokens that are mailed, or printed for an operator.
  create table account_tokens (
    id uuid not null,
    -- the account concerned; null for a token that creates one
    user_id uuid,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    purpose text not null,
    -- the address that it was sent to; null for the first admin, who chooses one
    email text,
    token_hash text not null,
    constraint account_tokens_pkey primary key (id),
    constraint account_tokens_hash_unique unique (token_hash),
    constraint account_tokens_user_fk foreign key (user_id) references users (id) on delete cascade,
    constraint account_tokens_purpose check (purpose in ('verify', 'change', 'reset', 'invite', 'admin')),
    constraint account_tokens_of check ((user_id is null) = (purpose in ('invite', 'admin'))),
    constraint account_tokens_to check ((email is null) = (purpose = 'admin'))
  );
  create index account_tokens_user on account_tokens (user_id);
  create index account_tokens_over on account_tokens (expires_at);

  -- Requests for a password reset. The account is looked up later, so that the response takes equally long for every
  -- address.
  create table password_requests (
    id uuid not null,
    created_at timestamptz not null,
    email text not null,
    constraint password_requests_pkey primary key (id)
  );

  -- Codes of an authenticator app (RFC 6238).
  create table second_factors (
    id uuid not null,
    user_id uuid not null,
    created_at timestamptz not null,
    -- when it became required for logins; null until its owner has entered a code
    confirmed_at timestamptz,
    blocked_until timestamptz,
    -- wrong codes since the last right one or the last lockout
    failures integer not null default 0,
    -- the time step of the last accepted code
    last_step integer,
    -- sealed
    secret text not null,
    constraint second_factors_pkey primary key (id),
    constraint second_factors_user_unique unique (user_id),
    constraint second_factors_user_fk foreign key (user_id) references users (id) on delete cascade
  );

  -- For users who lost the app.
  create table recovery_codes (
    factor_id uuid not null,
    code_hash text not null,
    constraint recovery_codes_pkey primary key (factor_id, code_hash),
    constraint recovery_codes_factor_fk foreign key (factor_id) references second_factors (id) on delete cascade
  );
`
