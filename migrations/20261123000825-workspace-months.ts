import type { Knex } from 'knex'

/** What a workspace has used in a calendar month (UTC), to hold it to its cap; the ledger has each entry. */
export const up = (knex: Knex) =>
  knex.raw(`
    create table workspace_months (
      workspace_id uuid not null,
      month date not null,
      credits bigint not null,
      constraint workspace_months_pkey primary key (workspace_id, month),
      constraint workspace_months_workspace_fk foreign key (workspace_id) references workspaces (id) on delete cascade,
      constraint workspace_months_credits check (credits >= 0)
    ) with (fillfactor = 50)`)

export const down = (knex: Knex) => knex.raw('drop table workspace_months')
