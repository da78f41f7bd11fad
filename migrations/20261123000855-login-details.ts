import type { Knex } from 'knex'

/** What a user recognises a login by; null for logins from before, and in the release before. */
export const up = (knex: Knex) =>
  knex.raw(`
    alter table logins
      -- accurate to a minute
      add column last_used_at timestamptz,
      add column address text,
      add column user_agent text`)

export const down = (knex: Knex) =>
  knex.raw('alter table logins drop column last_used_at, drop column address, drop column user_agent')
