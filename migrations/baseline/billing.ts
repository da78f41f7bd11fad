/**
 * One account per user (tier, subscription, balance), which also pays for the user's workspaces; cards, payments, and
 * requests to the payment gateway. Accounts have no foreign key to users, because payments outlive the user.
 */
export const billing = `
  create table accounts (
    owner_id uuid not null,
    -- the sum of its ledger entries
    balance bigint not null,
    -- in US cents; credited to later payments
    credit_cents bigint not null,
    -- monthly cap of everything that the account pays for
    credits_per_month bigint,
    current_period_end timestamptz,
    cancelled_at timestamptz,
    created_at timestamptz not null,
    -- when to query the gateway about it next
    look_at timestamptz,
    -- numbers of queries to the gateway: the last one begun, and the last one applied
    looks_begun bigint not null default 0,
    look_applied bigint not null default 0,
    -- how far the account's sandbox clock is ahead
    clock_seconds bigint not null,
    top_up_below bigint,
    top_up_credits bigint,
    top_up_cents_per_month bigint,
    -- no automatic purchase before this time, by the account's clock, because a payment was just refused
    top_up_after timestamptz,
    -- consecutive failures
    top_up_failures integer not null default 0,
    top_up_enabled boolean not null default false,
    -- whether agents, sites or keys exceed the limits of the tier
    exceeds boolean not null default false,
    -- the tier whose limits were last applied, or off; null: to be applied again
    fitted_tier text,
    tier text not null,
    -- what an admin granted or set, by name; in the limits, null means unlimited
    given_tier text,
    limits jsonb,
    -- the tier after the current period; null: the same
    next_tier text,
    granted_period text,
    -- the gateway's ids of the account and its subscription
    customer text,
    subscription text,
    -- null without a subscription
    subscription_status text,
    constraint accounts_pkey primary key (owner_id),
    constraint accounts_paid_tier_has_period check ((tier = 'free') = (current_period_end is null)),
    constraint accounts_paid_tier_has_status check (tier = 'free' or subscription_status is not null)
  );
  create index accounts_look on accounts (look_at) where look_at is not null;
  -- Each customer of the gateway is one account.
  create unique index accounts_customer_unique on accounts (customer) where customer is not null;

  create table payment_methods (
    id uuid not null,
    owner_id uuid not null,
    created_at timestamptz not null,
    reference text not null,
    brand text not null,
    last4 text not null,
    constraint payment_methods_pkey primary key (id)
  );
  create index payment_methods_owner_index on payment_methods (owner_id, id);

  create table payments (
    id uuid not null,
    owner_id uuid not null,
    created_at timestamptz not null,
    settled_at timestamptz,
    -- charged to the card, and paid from earlier credit
    cents bigint not null,
    from_credit_cents bigint not null,
    credits bigint,
    -- how often it was refunded or charged back
    times_back integer not null default 0,
    purpose text not null,
    status text not null,
    tier text,
    -- the gateway's id, once known
    reference text,
    -- for a purchase: the key of the request
    request_key text,
    failure text,
    constraint payments_pkey primary key (owner_id, id),
    constraint payments_account_fk foreign key (owner_id) references accounts (owner_id),
    constraint payments_purpose check (purpose in ('subscription', 'credits', 'top_up')),
    constraint payments_status check (status in ('pending', 'paid', 'failed', 'refunded')),
    constraint payments_credits check ((purpose = 'subscription') = (credits is null))
  );
  create unique index payments_reference_unique on payments (reference);
  create unique index payments_request_unique on payments (owner_id, request_key) where request_key is not null;
  create index payments_pending on payments (created_at) where status = 'pending';

  -- Requests to the gateway, written before they are sent, so that their outcome can be found after a crash. At most
  -- one per account; deleted once the outcome is known.
  create table billing_requests (
    owner_id uuid not null,
    -- the idempotency key at the gateway
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
`
