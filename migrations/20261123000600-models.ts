import type { Knex } from 'knex'

/**
 * Which model answers, what it is asked for, and what it cost. Columns of runs and steps that most rows leave empty take
 * no space in them.
 */
export const up = async (knex: Knex) => {
  await knex.raw(`
    alter table agents
      add column model text,
      add column fallback_model text,
      add column output_schema json,
      add column summarizes boolean not null default false;
    alter table agent_prompts
      add column model text,
      add column fallback_model text,
      add column output_schema json,
      add column summarizes boolean not null default false;

    alter table run_steps
      -- the part of the input tokens that the provider had in its cache
      add column cached_tokens integer,
      -- in billionths of a USD; null if no price was known
      add column cost_nano_usd bigint,
      -- the parts of the answer as its provider wants them back, as JSON text; null if the answer and the calls say it all
      add column content text,
      -- why the answer did not count, and what the model was told about it; 'summary' for a summary of earlier steps
      add column outcome text,
      add column remark text;

    alter table runs
      add column cached_tokens bigint,
      add column cost_nano_usd bigint,
      -- since which step it is asked of the fallback model
      add column fallback_since integer,
      -- answers in a row that did not count
      add column corrections integer,
      -- up to which step the model sees results shortened, and up to which it sees nothing
      add column shortened_through integer,
      add column left_out_through integer;

    alter table ledger_entries
      add column attempt integer,
      add column cost_nano_usd bigint,
      add column price json;
    alter table ledger_entries drop constraint ledger_entries_credits_sign;
    alter table ledger_entries add constraint ledger_entries_credits_sign check (
      (kind = 'grant' and credits > 0 and period is not null and run_id is null and step is null) or
      (kind = 'step' and credits < 0 and period is null and run_id is not null and step is not null) or
      (kind = 'failed_step' and credits < 0 and period is null and run_id is not null and step is not null
        and attempt is not null)
    ) not valid`)
}

export const down = async (knex: Knex) => {
  await knex.raw(`
    alter table ledger_entries drop constraint ledger_entries_credits_sign;
    alter table ledger_entries add constraint ledger_entries_credits_sign check (
      (kind = 'grant' and credits > 0 and period is not null and run_id is null and step is null) or
      (kind = 'step' and credits < 0 and period is null and run_id is not null and step is not null)
    ) not valid;
    alter table ledger_entries drop column attempt, drop column cost_nano_usd, drop column price;
    alter table runs
      drop column cached_tokens, drop column cost_nano_usd, drop column fallback_since, drop column corrections,
      drop column shortened_through, drop column left_out_through;
    alter table run_steps
      drop column cached_tokens, drop column cost_nano_usd, drop column content, drop column outcome, drop column remark;
    alter table agent_prompts
      drop column model, drop column fallback_model, drop column output_schema, drop column summarizes;
    alter table agents
      drop column model, drop column fallback_model, drop column output_schema, drop column summarizes`)
}
