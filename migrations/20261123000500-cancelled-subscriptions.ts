import type { Knex } from 'knex'

/** Since when a subscription is cancelled: its account returns to the free tier when the paid month is over. */
export const up = (knex: Knex) => knex.raw('alter table accounts add column cancelled_at timestamptz')

export const down = (knex: Knex) => knex.raw('alter table accounts drop column cancelled_at')
