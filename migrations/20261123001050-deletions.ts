import type { Knex } from 'knex'

/**
 * Owners that are to be deleted, or were. Workspaces that were deleted before there was this table are emptied now.
 */
export const up = (knex: Knex) =>
  knex.raw(`
    create table deletions (
      owner_id uuid not null,
      requested_at timestamptz not null,
      -- until then an account can be restored
      due_at timestamptz not null,
      -- when it is looked at next; put ahead while a process works at it
      next_at timestamptz not null,
      -- since when there is no way back
      begun_at timestamptz,
      -- when its last row was deleted
      emptied_at timestamptz,
      -- when it was looked through once more
      ended_at timestamptz,
      constraint deletions_pkey primary key (owner_id),
      constraint deletions_owner_fk foreign key (owner_id) references owners (id),
      constraint deletions_order check (
        (emptied_at is null or begun_at is not null) and (ended_at is null or emptied_at is not null))
    );
    create index deletions_due on deletions (next_at) where ended_at is null;
    insert into deletions (owner_id, requested_at, due_at, next_at)
      select id, deleted_at, deleted_at, deleted_at from workspaces where deleted_at is not null;

    -- What a workspace has used in each month outlives it.
    alter table workspace_months drop constraint workspace_months_workspace_fk;
    alter table workspace_months add constraint workspace_months_owner_fk
      foreign key (workspace_id) references owners (id) not valid`)

/** Only while no workspace was deleted for good: its months refer to nothing else. */
export const down = (knex: Knex) =>
  knex.raw(`
    alter table workspace_months drop constraint workspace_months_owner_fk;
    alter table workspace_months add constraint workspace_months_workspace_fk
      foreign key (workspace_id) references workspaces (id) on delete cascade not valid;
    drop table deletions`)
