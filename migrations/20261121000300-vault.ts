import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table vault_entries (
      id text primary key,
      owner_id text not null constraint vault_entries_owner_fk references users (id),
      origin text not null,
      name text not null,
      -- json, not jsonb: what a site wrote is kept as it wrote it (jsonb refuses \\u0000 and alters numbers)
      manifest json not null,
      manifest_fetched_at timestamptz not null,
      auth_type text not null constraint vault_entries_auth_type check (auth_type in ('bearer', 'oauth2')),
      credential text not null,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      constraint vault_entries_owner_origin unique (owner_id, origin)
    );
    create index vault_entries_list on vault_entries (owner_id, id);
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table vault_entries')
}
