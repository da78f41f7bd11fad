import type { Knex } from 'knex'

/** Built beside accounts at work. What an interrupted attempt has left is not valid and must go first. */
export const config = { transaction: false }

const indexes = {
  ledger_entries_payment_unique: `unique index concurrently ledger_entries_payment_unique
    on ledger_entries (payment_id, kind) where payment_id is not null`,
  ledger_entries_expiry_unique: `unique index concurrently ledger_entries_expiry_unique
    on ledger_entries (grant_id) where kind = 'expiry'`,
  ledger_entries_agent: `index concurrently ledger_entries_agent on ledger_entries (agent_id, id)
    where agent_id is not null`,
}

/** A payment grants its credits once, a grant expires once; and the check of signs for the entries that were there before. */
export async function up(knex: Knex): Promise<void> {
  for (const [name, index] of Object.entries(indexes)) {
    await knex.raw(`drop index concurrently if exists ${name}`)
    await knex.raw(`create ${index}`)
  }
  await knex.raw('alter table ledger_entries validate constraint ledger_entries_credits_sign')
}

/** A constraint that was checked need not be unchecked. */
export async function down(knex: Knex): Promise<void> {
  for (const name of Object.keys(indexes)) await knex.raw(`drop index concurrently ${name}`)
}
