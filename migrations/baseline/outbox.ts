/** Mails to addresses: what the platform writes about an account, whether or not the address has one. */
export const outbox = `
  create table outbox_mails (
    id uuid not null,
    created_at timestamptz not null,
    -- until when its text is of use; it is cleared then, or once it is sent
    expires_at timestamptz not null,
    -- when it is tried next; set before each attempt, so that a crash does not send it twice in a row
    next_at timestamptz,
    sent_at timestamptz,
    attempts integer not null default 0,
    -- kept: there was no mail server when it was made, so an admin reads it
    status text not null,
    recipient text not null,
    kind text not null,
    -- the recipient, or its mailbox: so many of a kind are written in a day
    counted_by text not null,
    subject text not null,
    -- the text, sealed
    body text,
    constraint outbox_mails_pkey primary key (id),
    constraint outbox_mails_kind check (kind in ('asked', 'verify', 'reset', 'notice')),
    constraint outbox_mails_status check (status in ('kept', 'pending', 'sent', 'failed')),
    constraint outbox_mails_next check ((status = 'pending') = (next_at is not null)),
    constraint outbox_mails_sent check ((status = 'sent') = (sent_at is not null)),
    constraint outbox_mails_body check (body is null or status in ('kept', 'pending'))
  );
  create index outbox_mails_due on outbox_mails (next_at) where status = 'pending';
  create index outbox_mails_texts on outbox_mails (expires_at) where body is not null;
  -- What was sent to an address goes with its account.
  create index outbox_mails_recipient on outbox_mails (recipient);
  create index outbox_mails_counted on outbox_mails (counted_by, kind, id);
`
