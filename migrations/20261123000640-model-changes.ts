import type { Knex } from 'knex'

/** What the timeline says when a run's fallback model takes over. */
export const up = async (knex: Knex) => {
  await knex.raw(`alter type run_event_kind add value if not exists 'model.changed' before 'tool.started'`)
}

/** Postgres cannot take a value out of a type; one that no row has does no harm. */
export const down = () => Promise.resolve()
