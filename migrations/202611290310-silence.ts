import type { Knex } from 'knex'

export const name = '202611290310-silence'

/** The kinds of notifications from now on. */
const kinds = `'credential_dead', 'manifest_changed', 'queue_blocked', 'agent_failing', 'agent_paused', 'agent_silent',
  'model_outage', 'schedule_missed', 'callback_failed', 'approval_requested', 'limits_exceeded', 'top_up_off',
  'subscription_past_due', 'subscription_ended', 'workspace_offered', 'workspace_handed_over'`

/** When agents usually get deliveries, and the owners' addresses for notifications. The next migration validates the checks. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table agents add column watch_silence boolean not null default true;

    -- When an agent's deliveries usually arrive. Rows come with the first delivery. Processes write what they accepted
    -- every few seconds, so no index names a column that this changes.
    create table delivery_habits (
      agent_id uuid not null,
      first_at timestamptz not null,
      last_at timestamptz not null,
      -- when to judge it next; null: not yet usual
      due_at timestamptz,
      -- the time of the last delivery before the silence; null: not silent
      silent_since timestamptz,
      -- since first_at
      deliveries bigint not null,
      -- the sequence of its latest run that is known here, also of a test
      seen_sequence bigint not null,
      -- how long it may be quiet, in seconds; null: not yet usual
      quiet_seconds integer,
      -- the longest gap that ended on each of the last days: pairs of a day since 1970 and seconds
      gaps json not null,
      constraint delivery_habits_pkey primary key (agent_id),
      constraint delivery_habits_agent_fk foreign key (agent_id) references agents (id) on delete cascade
    ) with (fillfactor = 50);
    create index delivery_habits_due on delivery_habits (due_at) where due_at is not null;
    create index delivery_habits_silent on delivery_habits (agent_id) where silent_since is not null;

    alter table notifications drop constraint notifications_kind;
    alter table notifications add constraint notifications_kind check (kind in (${kinds})) not valid;

    -- Where an owner's notifications are posted, and the sealed secret that signs them.
    create table notification_webhooks (
      id uuid not null,
      owner_id uuid not null,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      url text not null,
      secret text not null,
      constraint notification_webhooks_pkey primary key (id),
      constraint notification_webhooks_owner unique (owner_id),
      constraint notification_webhooks_owner_fk foreign key (owner_id) references owners (id)
    );

    -- A callback without a run posts the notification that has its id.
    alter table callbacks alter column run_id drop not null, alter column agent_id drop not null;
    alter table callbacks add constraint callbacks_subject check ((run_id is null) = (agent_id is null)) not valid;`)
}

/** Notifications of silence are deleted, and so are callbacks of notifications: the release before cannot hold either. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    delete from callbacks where run_id is null;
    alter table callbacks drop constraint callbacks_subject;
    alter table callbacks alter column run_id set not null, alter column agent_id set not null;
    drop table notification_webhooks;
    delete from notifications where kind = 'agent_silent';
    alter table notifications drop constraint notifications_kind;
    alter table notifications add constraint notifications_kind
      check (kind in (${kinds.replace("'agent_silent',", '')}));
    drop table delivery_habits;
    alter table agents drop column watch_silence;`)
}
