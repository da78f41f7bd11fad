import type { Knex } from 'knex'

const before = `'credential_dead', 'manifest_changed', 'queue_blocked', 'agent_failing', 'schedule_missed', 'callback_failed',
  'approval_requested', 'limits_exceeded', 'top_up_off'`

/** Two kinds of notifications more: what is overdue, and what has ended so. */
const allow = (kinds: string): string => `
  alter table notifications drop constraint notifications_kind;
  alter table notifications add constraint notifications_kind check (kind in (${kinds})) not valid`

export const up = (knex: Knex) => knex.raw(allow(`${before}, 'subscription_past_due', 'subscription_ended'`))

export const down = (knex: Knex) =>
  knex.raw(`
    delete from notifications where kind in ('subscription_past_due', 'subscription_ended');
    ${allow(before)}`)
