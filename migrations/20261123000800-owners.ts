import type { Knex } from 'knex'

/** Tables whose rows belong to an owner, and the constraint that says so. */
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

/**
 * Everything belongs to an owner: a user, or a workspace. A user's own owner has the user's id, so no row changes. The
 * constraints are validated by the next migration.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table owners (
      id uuid not null,
      created_at timestamptz not null,
      kind text not null,
      constraint owners_pkey primary key (id),
      constraint owners_kind check (kind in ('user', 'workspace'))
    );
    insert into owners (id, created_at, kind) select id, created_at, 'user' from users;

    create function users_make_owner() returns trigger language plpgsql as $$
    begin
      insert into owners (id, created_at, kind) values (new.id, new.created_at, 'user');
      return new;
    end
    $$;
    -- Of the release before, too, which does not know owners.
    create trigger users_are_owners after insert on users for each row execute function users_make_owner()`)
  for (const table of owned)
    await knex.raw(`
      alter table ${table} drop constraint ${table}_owner_fk;
      alter table ${table} add constraint ${table}_owner_fk foreign key (owner_id) references owners (id) not valid`)
}

export async function down(knex: Knex): Promise<void> {
  for (const table of owned)
    await knex.raw(`
      alter table ${table} drop constraint ${table}_owner_fk;
      alter table ${table} add constraint ${table}_owner_fk foreign key (owner_id) references users (id) not valid`)
  await knex.raw(`
    drop trigger users_are_owners on users;
    drop function users_make_owner;
    drop table owners`)
}
