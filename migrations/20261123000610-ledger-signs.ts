import type { Knex } from 'knex'

/** Apart from adding the constraint, so that the ledger is not locked while it is checked. */
export const up = (knex: Knex) => knex.raw('alter table ledger_entries validate constraint ledger_entries_credits_sign')

/** A constraint that was checked need not be unchecked. */
export const down = async () => {}
