import type { Knex } from 'knex'

/** What payments were paid from besides the card, and what is credited to later ones. The release before writes neither. */
export const up = (knex: Knex) =>
  knex.raw(`
    alter table payments add column from_credit_cents bigint not null default 0;
    alter table sandbox_payments add column from_credit_cents bigint not null default 0;
    alter table accounts add column credit_cents bigint not null default 0`)

export const down = (knex: Knex) =>
  knex.raw(`
    alter table accounts drop column credit_cents;
    alter table sandbox_payments drop column from_credit_cents;
    alter table payments drop column from_credit_cents`)
