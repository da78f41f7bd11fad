/** People, their logins with rotating refresh tokens, and their API keys. Secrets are kept as SHA-256 hashes only. */
export const people = `
  create table users (
    id uuid not null,
    created_at timestamptz not null,
    terms_accepted_at timestamptz,
    email text not null,
    password_hash text not null,
    terms_version text,
    constraint users_pkey primary key (id),
    constraint users_email_unique unique (email),
    constraint users_email_length check (char_length(email) between 3 and 254),
    constraint users_terms_both check ((terms_version is null) = (terms_accepted_at is null))
  );

  create table logins (
    id uuid not null,
    user_id uuid not null,
    created_at timestamptz not null,
    revoked_at timestamptz,
    constraint logins_pkey primary key (id),
    constraint logins_user_fk foreign key (user_id) references users (id) on delete cascade
  );
  create index logins_user_index on logins (user_id);

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

  create table api_keys (
    id uuid not null,
    user_id uuid not null,
    created_at timestamptz not null,
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz,
    name text not null,
    key_hash text not null,
    scopes text[] not null,
    constraint api_keys_pkey primary key (id),
    constraint api_keys_hash_unique unique (key_hash),
    constraint api_keys_user_fk foreign key (user_id) references users (id) on delete cascade,
    constraint api_keys_name_length check (char_length(name) between 1 and 100),
    constraint api_keys_scopes_known check (scopes <@ array['read', 'write'] and cardinality(scopes) between 1 and 2)
  );
  create index api_keys_user_index on api_keys (user_id, id);
`
