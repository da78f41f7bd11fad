import type { Knex } from 'knex'

/** Of a payment in the sandbox: the tier of a month that was left early with it, and what was left of its price, in cents. */
export const up = (knex: Knex) =>
  knex.raw(`
    alter table sandbox_payments add column left_tier text;
    alter table sandbox_payments add column left_cents integer;`)

export const down = (knex: Knex) =>
  knex.raw(`
    alter table sandbox_payments drop column left_tier;
    alter table sandbox_payments drop column left_cents;`)
