/**
 * State of the sandbox. It is a separate payment provider and shares nothing with the platform but each account's
 * clock.
 */
export const sandbox = `
  create table sandbox_customers (
    owner_id uuid not null,
    credit_cents bigint not null default 0,
    constraint sandbox_customers_pkey primary key (owner_id),
    constraint sandbox_customers_credit check (credit_cents >= 0)
  );

  create table sandbox_cards (
    id uuid not null,
    owner_id uuid not null,
    -- the platform's id for it
    reference text not null,
    -- the test name, which decides the outcome of its charges
    method text not null,
    constraint sandbox_cards_pkey primary key (owner_id, id)
  );

  create table sandbox_subscriptions (
    owner_id uuid not null,
    reference text not null,
    tier text not null,
    status text not null,
    -- the tier after the current period, or 'free'
    next_tier text,
    -- the first day of its first month, and the months paid since
    anchor timestamptz not null,
    months integer not null,
    cancelled_at timestamptz,
    -- past due: the failed payment, and its number of retries
    overdue text,
    retries integer not null,
    constraint sandbox_subscriptions_pkey primary key (owner_id),
    constraint sandbox_subscriptions_status check (status in ('active', 'past_due'))
  );
  create unique index sandbox_subscriptions_reference_unique on sandbox_subscriptions (reference);

  create table sandbox_payments (
    owner_id uuid not null,
    reference text not null,
    key text,
    cents bigint not null,
    from_credit_cents bigint not null,
    status text not null,
    tier text,
    -- for a month that it ended early: the tier, and the rest of its price, in cents
    left_tier text,
    left_cents integer,
    failure text,
    created_at timestamptz not null,
    constraint sandbox_payments_pkey primary key (owner_id, reference)
  );
  create index sandbox_payments_created on sandbox_payments (owner_id, created_at);

  -- the outcome of each request, for repeated requests
  create table sandbox_requests (
    owner_id uuid not null,
    key text not null,
    failure text,
    constraint sandbox_requests_pkey primary key (owner_id, key)
  );
`
