import type { Knex } from 'knex'

/** Sites that left the vault while agents used them: their next runs must not do without them silently. */
export const up = (knex: Knex) =>
  knex.raw(`
    create table agent_lost_sites (
      agent_id uuid not null,
      origin text not null,
      name text not null,
      lost_at timestamptz not null,
      constraint agent_lost_sites_pkey primary key (agent_id, origin),
      constraint agent_lost_sites_agent_fk foreign key (agent_id) references agents (id) on delete cascade
    )`)

export const down = (knex: Knex) => knex.raw('drop table agent_lost_sites')
