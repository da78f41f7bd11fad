import type { Knex } from 'knex'

/** Codes of an authenticator app (RFC 6238) as a second factor, and the codes for whoever has lost it. */
export const up = (knex: Knex) =>
  knex.raw(`
    create table second_factors (
      id uuid not null,
      user_id uuid not null,
      created_at timestamptz not null,
      -- since when logins need it; null until its owner has shown a code
      confirmed_at timestamptz,
      blocked_until timestamptz,
      -- wrong codes since the last right one, or since the last block
      failures integer not null default 0,
      -- the time step of the last code that was accepted
      last_step integer,
      -- sealed
      secret text not null,
      constraint second_factors_pkey primary key (id),
      constraint second_factors_user_unique unique (user_id),
      constraint second_factors_user_fk foreign key (user_id) references users (id) on delete cascade
    );

    create table recovery_codes (
      factor_id uuid not null,
      code_hash text not null,
      constraint recovery_codes_pkey primary key (factor_id, code_hash),
      constraint recovery_codes_factor_fk foreign key (factor_id) references second_factors (id) on delete cascade
    )`)

export const down = (knex: Knex) => knex.raw('drop table recovery_codes, second_factors')
