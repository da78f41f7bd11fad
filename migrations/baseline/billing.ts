/**
 * One account per owner (tier, subscription, balance), the payment methods, and the ledger, which explains the balance:
 * the sum of an owner's entries is the balance. No foreign keys to users, since an owner may be a workspace.
 */
export const billing = `
  create table accounts (
    owner_id uuid not null,
    balance bigint not null,
    current_period_end timestamptz,
    created_at timestamptz not null,
    tier text not null,
    granted_period text,
    constraint accounts_pkey primary key (owner_id),
    constraint accounts_paid_tier_has_period check ((tier = 'free') = (current_period_end is null))
  );

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

  -- Kept when its run is purged, so no foreign key refers to runs.
  create table ledger_entries (
    id uuid not null,
    owner_id uuid not null,
    credits bigint not null,
    balance_after bigint not null,
    created_at timestamptz not null,
    run_id uuid,
    step integer,
    kind text not null,
    period text,
    -- In the order of an owner's list; nothing looks an entry up by its identifier alone.
    constraint ledger_entries_pkey primary key (owner_id, id),
    constraint ledger_entries_account_fk foreign key (owner_id) references accounts (owner_id),
    constraint ledger_entries_credits_sign check (
      (kind = 'grant' and credits > 0 and period is not null and run_id is null and step is null) or
      (kind = 'step' and credits < 0 and period is null and run_id is not null and step is not null)
    )
  );
  create unique index ledger_entries_grant_unique on ledger_entries (owner_id, period) where kind = 'grant';
  create unique index ledger_entries_step_unique on ledger_entries (run_id, step) where kind = 'step';

  create function ledger_entries_refuse_change() returns trigger language plpgsql as $$
  begin
    raise exception 'the ledger is append-only' using errcode = 'restrict_violation';
  end
  $$;
  create trigger ledger_entries_append_only before update or delete or truncate on ledger_entries
    for each statement execute function ledger_entries_refuse_change();
`
