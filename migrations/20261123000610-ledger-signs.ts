import type { Knex } from 'knex'

export const config = { transaction: false }

/** One charge for each failed attempt at a step; and the check of signs for the entries that were there before. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists ledger_entries_failed_step_unique')
  await knex.raw(`
    create unique index concurrently ledger_entries_failed_step_unique on ledger_entries (run_id, step, attempt)
     where kind = 'failed_step'`)
  await knex.raw('alter table ledger_entries validate constraint ledger_entries_credits_sign')
}

/** A constraint that was checked need not be unchecked. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently ledger_entries_failed_step_unique')
}
