import type { Knex } from 'knex'

/** Who has read a notification: it is read for everybody of its owner. */
export const up = (knex: Knex) =>
  knex.raw(`
    alter table notifications
      add column read_at timestamptz,
      add column read_by uuid`)

export const down = (knex: Knex) => knex.raw('alter table notifications drop column read_at, drop column read_by')
