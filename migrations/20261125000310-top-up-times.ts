import type { Knex } from 'knex'

/** Before when an account buys nothing automatically, by its own clock: a payment has just been refused. */
export const up = (knex: Knex) => knex.raw('alter table accounts add column top_up_after timestamptz')

export const down = (knex: Knex) => knex.raw('alter table accounts drop column top_up_after')
