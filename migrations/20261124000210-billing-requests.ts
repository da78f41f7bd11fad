import type { Knex } from 'knex'

/**
 * What is asked of the gateway, written before it is sent, so that it is found out after a crash; automatic purchases; and
 * what exceeds the limits of a tier that an account has returned to.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- one at a time for each account; gone once its outcome is known
    create table billing_requests (
      owner_id uuid not null,
      -- the key under which the gateway does it once
      id uuid not null,
      action text not null,
      subscription text,
      tier text,
      at text,
      created_at timestamptz not null,
      constraint billing_requests_pkey primary key (owner_id),
      constraint billing_requests_account_fk foreign key (owner_id) references accounts (owner_id),
      constraint billing_requests_action check (action in ('subscribe', 'change', 'cancel', 'keep', 'pay_overdue'))
    );

    alter table accounts
      add column top_up_is_on boolean not null default false,
      add column top_up_below bigint,
      add column top_up_credits bigint,
      add column top_up_cents_per_month bigint,
      -- in a row
      add column top_up_failures integer not null default 0,
      -- the tier to whose limits agents, sites and keys were fitted; null: to be fitted anew
      add column fitted_tier text,
      -- whether some exceed them
      add column exceeds boolean not null default false;

    alter table agents add column exceeding_since timestamptz;
    alter table vault_entries add column exceeding_since timestamptz;
    alter table api_keys add column exceeding_since timestamptz;

    alter table notifications drop constraint notifications_kind;
    alter table notifications add constraint notifications_kind check (kind in
      ('credential_dead', 'manifest_changed', 'queue_blocked', 'agent_failing', 'schedule_missed', 'callback_failed',
       'approval_requested', 'limits_exceeded', 'top_up_off')) not valid`)
}

export const down = (knex: Knex) =>
  knex.raw(`
    delete from notifications where kind in ('limits_exceeded', 'top_up_off');
    alter table notifications drop constraint notifications_kind;
    alter table notifications add constraint notifications_kind check (kind in
      ('credential_dead', 'manifest_changed', 'queue_blocked', 'agent_failing', 'schedule_missed', 'callback_failed',
       'approval_requested')) not valid;
    update agents set paused_at = null where paused_at = exceeding_since;
    alter table agents drop column exceeding_since;
    alter table vault_entries drop column exceeding_since;
    alter table api_keys drop column exceeding_since;
    alter table accounts
      drop column top_up_is_on, drop column top_up_below, drop column top_up_credits,
      drop column top_up_cents_per_month, drop column top_up_failures, drop column fitted_tier, drop column exceeds;
    drop table billing_requests`)
