import type { Knex } from 'knex'

/** Since when a run has found no place in a worker. */
export const up = (knex: Knex) => knex.raw('alter table runs add column no_place_since timestamptz')

export const down = (knex: Knex) => knex.raw('alter table runs drop column no_place_since')
