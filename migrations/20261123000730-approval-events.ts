import type { Knex } from 'knex'

/** What a timeline can say of approvals. */
export const up = async (knex: Knex) => {
  await knex.raw(`alter type run_event_kind add value if not exists 'approval.requested'`)
  await knex.raw(`alter type run_event_kind add value if not exists 'approval.decided'`)
}

/** A value of an enum cannot be taken away, and harms nobody. */
export const down = async () => {}
