import type { Knex } from 'knex'

/** The AI provider at which a run has found no place; null if it was the worker. */
export const up = (knex: Knex) => knex.raw('alter table runs add column no_place_at text')

export const down = (knex: Knex) => knex.raw('alter table runs drop column no_place_at')
