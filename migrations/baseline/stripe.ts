/**
 * Events from Stripe. Each is stored once, so that a repeated or reconciled event triggers nothing; and how far the
 * events have been listed.
 */
export const stripe = `
  create table stripe_events (
    -- Stripe's id
    id text not null,
    type text not null,
    customer text,
    received_at timestamptz not null,
    constraint stripe_events_pkey primary key (id)
  );
  create index stripe_events_received on stripe_events (received_at);

  create table stripe_cursors (
    name text not null,
    -- by Stripe's clock
    seen_at timestamptz not null,
    constraint stripe_cursors_pkey primary key (name)
  );
`
