import type { Knex } from 'knex'

/** The value of an answer that had to fit an output schema. Most steps have none, and it takes no space in them. */
export const up = async (knex: Knex) => {
  // JSON text, and not json: numbers of any size stay as the model wrote them.
  await knex.raw('alter table run_steps add column output text')
}

export const down = async (knex: Knex) => {
  await knex.raw('alter table run_steps drop column output')
}
