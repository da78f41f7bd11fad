import type { Knex } from 'knex'

/**
 * Credits that are granted in parts which may expire (`credit_grants`), held while a step is under way
 * (`credit_holds`), and counted by month to hold agents and accounts to their caps (`credit_months`); payments, and what
 * the gateway says of an account. The release before writes none of it; what it has charged is made up for later.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table accounts
      -- the gateway's names for the account and its subscription
      add column customer text,
      add column subscription text,
      -- null without a subscription; that of a release before follows from its date
      add column subscription_status text,
      -- the tier that follows at the end of the period; null: the same
      add column next_tier text,
      -- how far the clock of the sandbox is ahead for this account
      add column clock_seconds bigint not null default 0,
      -- cap of all that the account pays for, in a month
      add column credits_per_month bigint,
      -- looks at the gateway: begun last, and the one that was applied last
      add column looks_begun bigint not null default 0,
      add column look_applied bigint not null default 0;
    alter table agents add column credits_per_month bigint;

    create table payments (
      id uuid not null,
      owner_id uuid not null,
      created_at timestamptz not null,
      settled_at timestamptz,
      cents bigint not null,
      credits bigint,
      purpose text not null,
      status text not null,
      tier text,
      -- the gateway's name, once it has one
      reference text,
      -- of a purchase: the key of the request
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
      -- why an admin gave them, and under which key the request came
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
      -- a run or an answer, which has one step under way at a time
      subject_id uuid not null,
      -- who pays, and the workspace whose step is under way
      owner_id uuid not null,
      workspace_id uuid,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      credits bigint not null,
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
      constraint credit_months_pkey primary key (subject_id, month),
      constraint credit_months_credits check (credits >= 0)
    ) with (fillfactor = 50);

    alter table ledger_entries
      add column agent_id uuid,
      add column grant_id uuid,
      add column payment_id uuid,
      -- what was held for the step
      add column held bigint,
      -- credits by grant
      add column drawn json;
    alter table ledger_entries drop constraint ledger_entries_credits_sign;
    alter table ledger_entries add constraint ledger_entries_credits_sign check (
      (kind = 'grant' and credits > 0 and period is not null and run_id is null and step is null) or
      (kind in ('purchase', 'top_up') and credits > 0 and payment_id is not null and run_id is null) or
      (kind = 'promotion' and credits > 0 and run_id is null) or
      (kind = 'expiry' and credits < 0 and grant_id is not null and run_id is null) or
      (kind = 'refund' and credits < 0 and payment_id is not null and run_id is null) or
      (kind = 'step' and credits < 0 and period is null and run_id is not null and step is not null) or
      (kind = 'failed_step' and credits < 0 and period is null and run_id is not null and step is not null
        and attempt is not null) or
      (kind = 'chat_step' and credits < 0 and period is null and run_id is null and answer_id is not null
        and step is not null)
    ) not valid`)
}

export const down = (knex: Knex) =>
  knex.raw(`
    alter table ledger_entries drop constraint ledger_entries_credits_sign;
    alter table ledger_entries add constraint ledger_entries_credits_sign check (
      (kind = 'grant' and credits > 0 and period is not null and run_id is null and step is null) or
      (kind = 'step' and credits < 0 and period is null and run_id is not null and step is not null) or
      (kind = 'failed_step' and credits < 0 and period is null and run_id is not null and step is not null
        and attempt is not null) or
      (kind = 'chat_step' and credits < 0 and period is null and run_id is null and answer_id is not null
        and step is not null)
    ) not valid;
    alter table ledger_entries
      drop column agent_id, drop column grant_id, drop column payment_id, drop column held, drop column drawn;
    drop table credit_months, credit_holds, credit_grants, payments;
    alter table agents drop column credits_per_month;
    alter table accounts
      drop column customer, drop column subscription, drop column subscription_status, drop column next_tier,
      drop column clock_seconds, drop column credits_per_month, drop column looks_begun, drop column look_applied`)
