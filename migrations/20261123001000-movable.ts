import type { Knex } from 'knex'

/**
 * What is needed to move agents and vault entries between owners: when it was done last, so that what was done for the owner
 * before is not shown to the present one. And who made and connected what.
 */
export const up = (knex: Knex) =>
  knex.raw(`
    alter table agents
      -- when it came to its present owner; null: it was made there
      add column moved_at timestamptz,
      -- the sequence of its last run for the owner before
      add column moved_sequence bigint,
      -- null: it was made before this was recorded, or the user is gone
      add column created_by uuid;
    alter table agents add constraint agents_moved check ((moved_at is null) = (moved_sequence is null)) not valid;
    alter table agents add constraint agents_creator_fk
      foreign key (created_by) references users (id) on delete set null not valid;

    alter table vault_entries
      add column moved_at timestamptz,
      -- whose credential it is; null: it was connected before this was recorded, or the user is gone
      add column connected_by uuid;
    alter table vault_entries add constraint vault_entries_connector_fk
      foreign key (connected_by) references users (id) on delete set null not valid;

    alter table oauth_flows
      -- who began it; null: the release before
      add column user_id uuid;
    alter table oauth_flows add constraint oauth_flows_user_fk
      foreign key (user_id) references users (id) on delete cascade not valid;

    alter table workspaces
      -- what becomes of the sites that a member has connected who leaves
      add column connections_of_leavers text not null default 'keep';
    alter table workspaces add constraint workspaces_connections_of_leavers
      check (connections_of_leavers in ('keep', 'remove')) not valid`)

export const down = (knex: Knex) =>
  knex.raw(`
    alter table workspaces drop column connections_of_leavers;
    alter table oauth_flows drop column user_id;
    alter table vault_entries drop column connected_by, drop column moved_at;
    alter table agents drop column created_by, drop column moved_sequence, drop column moved_at`)
