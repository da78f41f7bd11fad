import type { Knex } from 'knex'

export const config = { transaction: false }

/** What was sent to an address, which goes with its account. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists outbox_mails_recipient')
  await knex.raw('create index concurrently outbox_mails_recipient on outbox_mails (recipient)')
  await knex.raw('drop index concurrently if exists invitations_email')
  await knex.raw('create index concurrently invitations_email on invitations (email)')
  await knex.raw('alter table workspace_months validate constraint workspace_months_owner_fk')
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently invitations_email')
  await knex.raw('drop index concurrently outbox_mails_recipient')
}
