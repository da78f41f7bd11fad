import type { Knex } from 'knex'

/** Built beside accounts at work. What an interrupted attempt has left is not valid and must go first. */
export const config = { transaction: false }

/** Each kind once for a payment. What is taken back names its grant, if that is a month's: a payment may take back of two. */
const indexes = {
  ledger_entries_paid_unique: `unique index concurrently ledger_entries_paid_unique
    on ledger_entries (payment_id, kind) where payment_id is not null and (kind <> 'refund' or grant_id is null)`,
  ledger_entries_refund_unique: `unique index concurrently ledger_entries_refund_unique
    on ledger_entries (payment_id, grant_id) where kind = 'refund' and grant_id is not null`,
}

/** A payment for a month may take back credits of the month that was left with it, and its own once it is paid back. */
export async function up(knex: Knex): Promise<void> {
  for (const [name, index] of Object.entries(indexes)) {
    await knex.raw(`drop index concurrently if exists ${name}`)
    await knex.raw(`create ${index}`)
  }
  await knex.raw('drop index concurrently if exists ledger_entries_payment_unique')
}

/** Entries that name their grant are not of the release before, and may be two of a payment. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists ledger_entries_payment_unique')
  await knex.raw(`
    create unique index concurrently ledger_entries_payment_unique on ledger_entries (payment_id, kind)
     where payment_id is not null and (kind <> 'refund' or grant_id is null)`)
  for (const name of Object.keys(indexes)) await knex.raw(`drop index concurrently if exists ${name}`)
}
