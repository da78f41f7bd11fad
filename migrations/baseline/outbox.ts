/** Account mails to addresses, whether or not an address has an account. */
export const outbox = `
  create table outbox_mails (
    id uuid not null,
    created_at timestamptz not null,
    -- when its text becomes useless; the text is cleared then, or once sent
    expires_at timestamptz not null,
    -- when to try next; set before each attempt, so that a crash does not send it twice in a row
    next_at timestamptz,
    sent_at timestamptz,
    attempts integer not null default 0,
    -- kept: no mail server was configured at its creation, so an admin reads it
    status text not null,
    recipient text not null,
    kind text not null,
    -- the recipient, or its mailbox; mails of a kind per day are limited by it
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
  -- Mails to an address are deleted with its account.
  create index outbox_mails_recipient on outbox_mails (recipient);
  create index outbox_mails_counted on outbox_mails (counted_by, kind, id);
`
