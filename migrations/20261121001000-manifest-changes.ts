import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- What was found when a site's manifest had changed: taken over at once, or kept until its owner decides.
    create table manifest_changes (
      id text primary key,
      entry_id text not null constraint manifest_changes_entry_fk references vault_entries (id) on delete cascade,
      class text not null constraint manifest_changes_class
        check (class in ('text', 'compatible', 'new_scope', 'breaking', 'changed_address')),
      differences json not null,
      -- the whole new one; json, not jsonb: what a site wrote is kept as it wrote it
      manifest json not null,
      fingerprint text not null,
      status text not null constraint manifest_changes_status
        check (status in ('adopted', 'pending', 'accepted', 'superseded', 'withdrawn')),
      found_at timestamptz not null,
      decided_at timestamptz,
      constraint manifest_changes_decided check ((decided_at is null) = (status = 'pending'))
    );
    create unique index manifest_changes_one_pending on manifest_changes (entry_id) where status = 'pending';
    create index manifest_changes_list on manifest_changes (entry_id, id);
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table manifest_changes')
}
