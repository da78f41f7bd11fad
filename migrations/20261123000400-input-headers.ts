import type { Knex } from 'knex'

/** What senders say about their payloads in headers; null for what came before, and where nothing was said. */
export const up = (knex: Knex) => knex.raw('alter table run_inputs add column headers json')

export const down = (knex: Knex) => knex.raw('alter table run_inputs drop column headers')
