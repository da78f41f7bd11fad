import type { Knex } from 'knex'

/** Runs that go on with another model say so on their timeline. */
export const up = (knex: Knex) => knex.raw(`alter type run_event_kind add value if not exists 'model.changed'`)

/** Postgres cannot take a value out of a type, and one that nothing uses does no harm. */
export const down = async () => {}
