import type { Knex } from 'knex'

/** Verified addresses, the one-time tokens that are mailed for accounts, and who asked to have a password reset. */
export const up = (knex: Knex) =>
  knex.raw(`
    alter table users add column email_verified_at timestamptz;

    create table account_tokens (
      id uuid not null,
      -- whose account it is about; null for an invitation to make one
      user_id uuid,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      purpose text not null,
      -- the address that it was sent to
      email text not null,
      token_hash text not null,
      constraint account_tokens_pkey primary key (id),
      constraint account_tokens_hash_unique unique (token_hash),
      constraint account_tokens_user_fk foreign key (user_id) references users (id) on delete cascade,
      constraint account_tokens_purpose check (purpose in ('verify', 'change', 'reset', 'invite')),
      constraint account_tokens_of check ((user_id is null) = (purpose = 'invite'))
    );
    create index account_tokens_user on account_tokens (user_id);
    create index account_tokens_over on account_tokens (expires_at);

    -- Whether there is an account is looked at later, so that the answer takes as long for every address.
    create table password_requests (
      id uuid not null,
      created_at timestamptz not null,
      email text not null,
      constraint password_requests_pkey primary key (id)
    )`)

export const down = (knex: Knex) =>
  knex.raw(`
    drop table password_requests, account_tokens;
    alter table users drop column email_verified_at`)
