import type { Knex } from 'knex'

/**
 * API keys and sessions belong to an owner, and were made by a user. Ledger entries say on whose behalf the account paid.
 * Where nothing else is said, the user and the account are meant: so the release before goes on.
 */
export const up = (knex: Knex) =>
  knex.raw(`
    alter table api_keys
      -- the workspace that it is for; null: its user's own
      add column workspace_id uuid;
    alter table api_keys add constraint api_keys_workspace_fk
      foreign key (workspace_id) references workspaces (id) not valid;

    alter table sessions
      -- the member who has made it for a workspace; null: the owner is a user
      add column user_id uuid;
    alter table sessions add constraint sessions_user_fk foreign key (user_id) references users (id) not valid;

    alter table ledger_entries
      -- the workspace that used the credits; null: the account itself
      add column workspace_id uuid`)

export const down = (knex: Knex) =>
  knex.raw(`
    alter table ledger_entries drop column workspace_id;
    alter table sessions drop column user_id;
    alter table api_keys drop column workspace_id`)
