import type { Knex } from 'knex'

/** People, their logins with rotating refresh tokens, and their API keys. Secrets are kept as SHA-256 hashes only. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table users (
      id text not null,
      email text not null,
      password_hash text not null,
      terms_version text,
      terms_accepted_at timestamptz,
      created_at timestamptz not null,
      constraint users_pkey primary key (id),
      constraint users_email_unique unique (email),
      constraint users_email_length check (char_length(email) between 3 and 254),
      constraint users_terms_both check ((terms_version is null) = (terms_accepted_at is null))
    );

    create table logins (
      id text not null,
      user_id text not null,
      created_at timestamptz not null,
      revoked_at timestamptz,
      constraint logins_pkey primary key (id),
      constraint logins_user_fkey foreign key (user_id) references users (id) on delete cascade
    );
    create index logins_user_index on logins (user_id);

    create table refresh_tokens (
      id text not null,
      login_id text not null,
      token_hash text not null,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      consumed_at timestamptz,
      constraint refresh_tokens_pkey primary key (id),
      constraint refresh_tokens_hash_unique unique (token_hash),
      constraint refresh_tokens_login_fkey foreign key (login_id) references logins (id) on delete cascade
    );
    create index refresh_tokens_login_index on refresh_tokens (login_id);

    create table api_keys (
      id text not null,
      user_id text not null,
      name text not null,
      key_hash text not null,
      scopes text[] not null,
      created_at timestamptz not null,
      expires_at timestamptz,
      last_used_at timestamptz,
      revoked_at timestamptz,
      constraint api_keys_pkey primary key (id),
      constraint api_keys_hash_unique unique (key_hash),
      constraint api_keys_user_fkey foreign key (user_id) references users (id) on delete cascade,
      constraint api_keys_name_length check (char_length(name) between 1 and 100),
      constraint api_keys_scopes_known check (scopes <@ array['read', 'write'] and cardinality(scopes) between 1 and 2)
    );
    create index api_keys_user_index on api_keys (user_id, id);
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table api_keys;
    drop table refresh_tokens;
    drop table logins;
    drop table users;
  `)
}
