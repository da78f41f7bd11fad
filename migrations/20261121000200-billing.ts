import type { Knex } from 'knex'

/**
 * One account row per owner (tier, subscription, balance), the payment methods, and the ledger, which explains the
 * balance: the sum of an owner's entries is the balance. No foreign keys to users, since an owner may be a workspace.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table accounts (
      owner_id text not null,
      tier text not null,
      current_period_end timestamptz,
      balance bigint not null,
      granted_period text,
      created_at timestamptz not null,
      constraint accounts_pkey primary key (owner_id),
      constraint accounts_paid_tier_has_period check ((tier = 'free') = (current_period_end is null))
    );

    create table payment_methods (
      id text not null,
      owner_id text not null,
      reference text not null,
      brand text not null,
      last4 text not null,
      created_at timestamptz not null,
      constraint payment_methods_pkey primary key (id)
    );
    create index payment_methods_owner_index on payment_methods (owner_id, id);

    create table ledger_entries (
      id text not null,
      owner_id text not null,
      kind text not null,
      credits bigint not null,
      balance_after bigint not null,
      period text,
      run_id text,
      step integer,
      created_at timestamptz not null,
      constraint ledger_entries_pkey primary key (id),
      constraint ledger_entries_account_fkey foreign key (owner_id) references accounts (owner_id),
      constraint ledger_entries_grant_unique unique (owner_id, period),
      constraint ledger_entries_step_unique unique (run_id, step),
      constraint ledger_entries_credits_sign check (
        (kind = 'grant' and credits > 0 and period is not null and run_id is null and step is null) or
        (kind = 'step' and credits < 0 and period is null and run_id is not null and step is not null)
      )
    );
    create index ledger_entries_owner_index on ledger_entries (owner_id, id);

    create function ledger_entries_refuse_change() returns trigger language plpgsql as $$
    begin
      raise exception 'the ledger is append-only' using errcode = 'restrict_violation';
    end
    $$;
    create trigger ledger_entries_append_only before update or delete or truncate on ledger_entries
      for each statement execute function ledger_entries_refuse_change();
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table ledger_entries;
    drop function ledger_entries_refuse_change();
    drop table payment_methods;
    drop table accounts;
  `)
}
