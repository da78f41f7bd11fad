import type { Knex } from 'knex'

/** How many bytes of payloads and tool results came for an owner on a day (UTC). */
export const up = (knex: Knex) =>
  knex.raw(`
    create table stored_bytes (
      owner_id uuid not null,
      day date not null,
      bytes bigint not null,
      constraint stored_bytes_pkey primary key (owner_id, day),
      constraint stored_bytes_owner_fk foreign key (owner_id) references users (id)
    )`)

export const down = (knex: Knex) => knex.raw('drop table stored_bytes')
