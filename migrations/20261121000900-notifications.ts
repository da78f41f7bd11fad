import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table notifications (
      id text primary key,
      owner_id text not null constraint notifications_owner_fk references users (id),
      kind text not null constraint notifications_kind check (kind in ('credential_dead', 'manifest_changed')),
      -- what it is about, a vault entry for example; it may be gone by the time this is read
      subject_id text not null,
      -- which state of the subject: the owner is told once of each
      dedupe_key text not null,
      title text not null,
      message text not null,
      created_at timestamptz not null,
      -- none: no mail server was configured when it was made, and it is not mailed later either
      mail_status text not null
        constraint notifications_mail_status check (mail_status in ('none', 'pending', 'sent', 'failed')),
      mail_attempts integer not null default 0,
      -- when it is tried next; set before each attempt, so that a crash does not mail it twice in a row
      mail_next_at timestamptz,
      mailed_at timestamptz,
      constraint notifications_once unique (owner_id, kind, subject_id, dedupe_key),
      constraint notifications_mail_next check ((mail_status = 'pending') = (mail_next_at is not null)),
      constraint notifications_mailed check ((mail_status = 'sent') = (mailed_at is not null))
    );
    create index notifications_list on notifications (owner_id, id);
    create index notifications_unmailed on notifications (mail_next_at) where mail_status = 'pending';
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table notifications')
}
