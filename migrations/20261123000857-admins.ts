import type { Knex } from 'knex'

/** Who operates the platform: a column, in place of a setting that named addresses. */
export const up = (knex: Knex) => knex.raw('alter table users add column admin boolean not null default false')

export const down = (knex: Knex) => knex.raw('alter table users drop column admin')
