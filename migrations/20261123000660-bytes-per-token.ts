import type { Knex } from 'knex'

/** How many bytes of a run's prompts its model counts as a token, by its latest step. */
export const up = (knex: Knex) => knex.raw('alter table runs add column bytes_per_token real')

export const down = (knex: Knex) => knex.raw('alter table runs drop column bytes_per_token')
