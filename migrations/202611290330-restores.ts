import type { Knex } from 'knex'

/**
 * Backups and restores on record. A restore pauses agents with the reason `RESTORED` and notifies their owners. The next
 * migration validates the checks.
 */
export const name = '202611290330-restores'

const kinds = `'credential_dead', 'manifest_changed', 'queue_blocked', 'agent_failing', 'agent_paused', 'model_outage',
  'schedule_missed', 'callback_failed', 'approval_requested', 'limits_exceeded', 'top_up_off', 'subscription_past_due',
  'subscription_ended', 'workspace_offered', 'workspace_handed_over', 'agent_silent'`

const reasonsCheck = (reasons: string): string => `
  alter table agents drop constraint agents_paused_reason;
  alter table agents add constraint agents_paused_reason check
    (paused_reason is null or paused_at is not null and paused_reason in (${reasons})) not valid;`

const kindsCheck = (allowed: string): string => `
  alter table notifications drop constraint notifications_kind;
  alter table notifications add constraint notifications_kind check (kind in (${allowed})) not valid;`

const tables = `
  -- Finished backups and failed attempts. One killed in between leaves no row.
  create table backups (
    id uuid not null,
    -- the time of the data
    began_at timestamptz not null,
    ended_at timestamptz not null,
    -- null: unknown, because another program made it
    bytes bigint,
    -- why it failed; null if it succeeded
    error text,
    constraint backups_pkey primary key (id)
  );
  create index backups_ended on backups (ended_at);

  -- When the database was replaced by an older copy of itself.
  create table restores (
    id uuid not null,
    -- the time of the data
    as_of timestamptz not null,
    restored_at timestamptz not null,
    -- how many agents had unfinished runs, and how many runs
    agents integer not null,
    runs integer not null,
    constraint restores_pkey primary key (id)
  );
  create index restores_restored on restores (restored_at);`

export async function up(knex: Knex): Promise<void> {
  await knex.raw(tables)
  await knex.raw(reasonsCheck(`'MODEL_UNAVAILABLE', 'RESTORED'`))
  await knex.raw(kindsCheck(`${kinds}, 'restored'`))
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`drop table backups; drop table restores; delete from notifications where kind = 'restored'`)
  await knex.raw(`update agents set paused_reason = null where paused_reason = 'RESTORED'`)
  await knex.raw(reasonsCheck(`'MODEL_UNAVAILABLE'`))
  await knex.raw(kindsCheck(kinds))
}
