import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- One known text sealed under each vault key, so that a start with other keys is noticed before anything is read or
    -- written under them.
    create table vault_canaries (
      key_name text primary key,
      sealed text not null,
      created_at timestamptz not null,
      -- since when nothing is sealed under the key, so that it need not be configured any more
      retired_at timestamptz
    );
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table vault_canaries')
}
