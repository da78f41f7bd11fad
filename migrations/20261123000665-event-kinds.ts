import type { Knex } from 'knex'

/** What a timeline can say of the models of a run. */
export const up = async (knex: Knex) => {
  await knex.raw(`alter type run_event_kind add value if not exists 'model.changed'`)
  await knex.raw(`alter type run_event_kind add value if not exists 'context.fitted'`)
}

/** A value of an enum cannot be taken away, and harms nobody. */
export const down = async () => {}
