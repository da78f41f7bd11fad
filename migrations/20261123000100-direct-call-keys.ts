import type { Knex } from 'knex'

/** The client's key of a direct call: a repeated request gets the outcome of the call that was made under it. */
export const up = (knex: Knex) => knex.raw('alter table direct_tool_calls add column idempotency_key text')

export const down = (knex: Knex) => knex.raw('alter table direct_tool_calls drop column idempotency_key')
