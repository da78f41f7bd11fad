import type { Knex } from 'knex'

/** Goes on whenever somebody may see less than before, so that open streams are looked at again at once. */
export const up = (knex: Knex) => knex.raw('create sequence access_changes')

export const down = (knex: Knex) => knex.raw('drop sequence access_changes')
