/**
 * The ledger that explains an account's balance. Credits are granted in parts that may expire, held while a step is in
 * progress, and counted by month for the caps of agents and accounts.
 */
export const credits = `
  -- Outlives its run, so there is no foreign key to runs.
  create table ledger_entries (
    id uuid not null,
    owner_id uuid not null,
    credits bigint not null,
    balance_after bigint not null,
    created_at timestamptz not null,
    -- what used the credits
    run_id uuid,
    agent_id uuid,
    answer_id uuid,
    -- the workspace that used them; null: the account itself
    workspace_id uuid,
    -- the grant or payment that added or removed them
    grant_id uuid,
    payment_id uuid,
    -- in billionths of a USD, and the price used; null if no price was known
    cost_nano_usd bigint,
    -- credits held for the step
    held bigint,
    step integer,
    attempt integer,
    -- how many times the payment had been paid back, for a refund or its reversal
    turn integer,
    -- tokens of a step's model call
    tokens bigint,
    kind text not null,
    period text,
    price json,
    -- credits by grant
    drawn json,
    -- In the order of an owner's list; no query finds an entry by its id alone.
    constraint ledger_entries_pkey primary key (owner_id, id),
    constraint ledger_entries_account_fk foreign key (owner_id) references accounts (owner_id),
    constraint ledger_entries_credits_sign check (
      (kind = 'grant' and credits > 0 and period is not null and run_id is null and step is null) or
      (kind in ('purchase', 'top_up') and credits > 0 and payment_id is not null and run_id is null) or
      (kind = 'promotion' and credits > 0 and run_id is null) or
      (kind = 'expiry' and credits < 0 and grant_id is not null and run_id is null) or
      (kind = 'refund' and credits < 0 and payment_id is not null and run_id is null) or
      (kind = 'reinstated' and credits > 0 and payment_id is not null and turn is not null and run_id is null) or
      (kind = 'step' and credits <= 0 and period is null and run_id is not null and step is not null) or
      (kind = 'failed_step' and credits <= 0 and period is null and run_id is not null and step is not null
        and attempt is not null) or
      (kind = 'chat_step' and credits <= 0 and period is null and run_id is null and answer_id is not null
        and step is not null)
    )
  );
  -- Unique, so that a repeated entry is recorded once.
  create unique index ledger_entries_grant_unique on ledger_entries (owner_id, period) where kind = 'grant';
  -- Not unique: a grant expires again if credits return to it. Expired credits do not count as its remainder.
  create index ledger_entries_expiry on ledger_entries (grant_id) where kind = 'expiry';
  create unique index ledger_entries_step_unique on ledger_entries (run_id, step) where kind = 'step';
  create unique index ledger_entries_failed_step_unique on ledger_entries (run_id, step, attempt)
    where kind = 'failed_step';
  create unique index ledger_entries_chat_step_unique on ledger_entries (answer_id, step, attempt)
    nulls not distinct where kind = 'chat_step';
  -- Each kind once per payment, and once each time that it is paid back. A payment for a month may also take back
  -- credits of the month that it ended early.
  create unique index ledger_entries_paid_unique on ledger_entries (payment_id, kind)
    where payment_id is not null and kind not in ('refund', 'reinstated');
  create unique index ledger_entries_left_unique on ledger_entries (payment_id, grant_id)
    where kind = 'refund' and turn is null;
  create unique index ledger_entries_turn_unique on ledger_entries (payment_id, turn, kind) where turn is not null;
  -- Credits that were added, expired or paid back: few entries among very many steps.
  create index ledger_entries_added on ledger_entries (owner_id, id)
    where kind not in ('step', 'failed_step', 'chat_step');
  create index ledger_entries_filter on ledger_entries (owner_id, kind, id);
  create index ledger_entries_workspace_filter on ledger_entries (workspace_id, kind, id)
    where workspace_id is not null;
  create index ledger_entries_agent on ledger_entries (agent_id, id) where agent_id is not null;
  create index ledger_entries_workspace on ledger_entries (workspace_id, id) where workspace_id is not null;

  create function ledger_entries_refuse_change() returns trigger language plpgsql as $$
  begin
    raise exception 'the ledger is append-only' using errcode = 'restrict_violation';
  end
  $$;
  create trigger ledger_entries_append_only before update or delete or truncate on ledger_entries
    for each statement execute function ledger_entries_refuse_change();

  create table credit_grants (
    id uuid not null,
    owner_id uuid not null,
    created_at timestamptz not null,
    expires_at timestamptz,
    credits bigint not null,
    remaining bigint not null,
    -- the lowest is used first
    priority integer not null,
    kind text not null,
    -- why an admin granted them, and the key of the request
    note text,
    request_key text,
    constraint credit_grants_pkey primary key (owner_id, id),
    constraint credit_grants_account_fk foreign key (owner_id) references accounts (owner_id),
    constraint credit_grants_remaining check (remaining between 0 and credits)
  ) with (fillfactor = 50);
  create index credit_grants_left on credit_grants (owner_id, priority, expires_at, id) where remaining > 0;
  create unique index credit_grants_request_unique on credit_grants (owner_id, request_key)
    where request_key is not null;
  create index credit_grants_expiring on credit_grants (expires_at) where remaining > 0 and expires_at is not null;

  create table credit_holds (
    -- a run or an answer; each has at most one step in progress
    subject_id uuid not null,
    -- the payer, and the workspace whose step is in progress
    owner_id uuid not null,
    workspace_id uuid,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    credits bigint not null,
    tokens bigint not null,
    step integer not null,
    constraint credit_holds_pkey primary key (subject_id),
    constraint credit_holds_account_fk foreign key (owner_id) references accounts (owner_id),
    constraint credit_holds_credits check (credits > 0)
  );
  create index credit_holds_owner on credit_holds (owner_id);
  create index credit_holds_expiring on credit_holds (expires_at);

  create table credit_months (
    -- an agent, or an account
    subject_id uuid not null,
    month date not null,
    credits bigint not null,
    tokens bigint not null,
    -- credits by day of the month; null: none
    days bigint[] not null default '{}',
    constraint credit_months_pkey primary key (subject_id, month),
    constraint credit_months_credits check (credits >= 0)
  ) with (fillfactor = 50);

  -- One free month per mailbox, however many accounts it has.
  create table free_months (
    month date not null,
    owner_id uuid not null,
    mailbox_hash text not null,
    constraint free_months_pkey primary key (mailbox_hash, month),
    constraint free_months_owner_unique unique (owner_id, month)
  );
`
