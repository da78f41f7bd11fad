import type { Knex } from 'knex'

export const config = { transaction: false }

const owned = [
  'agents',
  'approvals',
  'callbacks',
  'direct_tool_calls',
  'notifications',
  'oauth_flows',
  'runs',
  'sessions',
  'stored_bytes',
  'vault_entries',
]

/** Validates what the migration before has added. Others read and write meanwhile. */
export async function up(knex: Knex): Promise<void> {
  for (const table of owned) await knex.raw(`alter table ${table} validate constraint ${table}_owner_fk`)
}

/** A valid constraint is as good as one that is not. */
export const down = () => Promise.resolve()
