import type { Knex } from 'knex'

/** Grants of entries that were taken out of the vault, until their sites know. */
export const up = (knex: Knex) =>
  knex.raw(`
    create table vault_revocations (
      id uuid not null,
      created_at timestamptz not null,
      next_at timestamptz not null,
      give_up_at timestamptz not null,
      attempts integer not null default 0,
      client_id text not null,
      -- sealed
      token text not null,
      -- json, not jsonb: how the site's manifest says that one signs in there
      auth json not null,
      constraint vault_revocations_pkey primary key (id)
    );
    create index vault_revocations_due on vault_revocations (next_at)`)

export const down = (knex: Knex) => knex.raw('drop table vault_revocations')
