import type { Knex } from 'knex'

/** Why an admin gave credits, and under which key the request came; and the workspace whose step is under way. */
export const up = (knex: Knex) =>
  knex.raw(`
    alter table credit_grants add column note text, add column request_key text;
    create unique index credit_grants_request_unique on credit_grants (owner_id, request_key)
      where request_key is not null;
    alter table credit_holds add column workspace_id uuid`)

export const down = (knex: Knex) =>
  knex.raw(`
    alter table credit_holds drop column workspace_id;
    alter table credit_grants drop column note, drop column request_key`)
