import type { Knex } from 'knex'
import type { Replacement } from '../../src/database/migrate.ts'
import { copies, replaced } from './copies.ts'
import { copyTable } from './copy-table.ts'
import { takeTables } from './take-tables.ts'

/** The schema that holds the old tables while their rows are copied. */
const before = 'before_baseline'

/**
 * Converts a database at the last migration before the baseline. Everything happens in the caller's transaction: a
 * conversion that is killed has changed nothing. Processes of the release before must be stopped; those that are not
 * wait for it, and fail afterwards.
 */
async function convert(trx: Knex.Transaction, createSchema: () => Promise<unknown>, say: (text: string) => void) {
  await trx.raw('set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0')
  await takeTables(trx, replaced)
  say('Converting the database to the new schema; nothing is changed before the end.')
  await trx.raw('create schema ??', [before])
  for (const table of replaced) await trx.raw('alter table ?? set schema ??', [table, before])
  await trx.raw('alter function ledger_entries_refuse_change() set schema ??', [before])
  await createSchema()
  await trx.raw(partitionsStatement)
  for (const copy of copies) await copyTable(trx, before, copy, say)
  await trx.raw(promptsStatement)
  await trx.raw('drop schema ?? cascade', [before])
}

/** The weeks that have runs, by the ids, because these say which partition a row goes to; not those of wrong clocks. */
const partitionsStatement = `
  select ensure_run_partitions(week, week)
    from (select distinct date_trunc('week', uuid_extract_timestamp(id::uuid), 'UTC') as week from ${before}.runs) weeks
   where week between now() - interval '10 years' and now()`

/** The beginning of an object up to the end of its text. */
const actionAtStart = '^\\{"systemPrompt":"([^"\\\\]|\\\\.)*"'

/**
 * The instructions of each agent's runs, where they differ from those of the run before. Where the payload's action took
 * their place, it still does; what the agent's own were then is not known. An action may be any text, also one that the
 * operators of `json` refuse, so it is cut out first. The release before wrote these objects without spaces, the prompt
 * first and the override last.
 */
const promptsStatement = `
  insert into agent_prompts (agent_id, since_sequence, allow_action_override, system_prompt, webhook_schema)
  select agent_id::uuid, sequence, is_used, system_prompt, webhook_schema::json
    from (select *, lag(row(is_used, system_prompt, webhook_schema)) over (partition by agent_id order by sequence)
                      is distinct from row(is_used, system_prompt, webhook_schema) as is_new
            from (select agent_id, sequence, is_used, own->>'systemPrompt' as system_prompt,
                         own->>'schema' as webhook_schema
                    from ${before}.runs
                   cross join lateral (select prompt::text ~ '"override":"used"\\}$' as is_used) o
                   cross join lateral (
                     select case when is_used then regexp_replace(prompt::text, '${actionAtStart}', '{"systemPrompt":""')::json
                                 else prompt end as own) p
                   where prompt is not null) claimed) marked
   where is_new`

export const conversion: Replacement = {
  names: [
    '20261121000100-users',
    '20261121000200-billing',
    '20261121000300-vault',
    '20261121000400-agents',
    '20261121000500-runs',
    '20261121000600-rate-limits',
    '20261121000700-sites-in-real-life',
    '20261121000800-vault-canaries',
    '20261121000900-notifications',
    '20261121001000-manifest-changes',
    '20261121001200-refresh-history',
    '20261121001300-triggers',
    '20261121001400-owed-fires',
    '20261121001500-claimed-by',
    '20261121001600-runs-by-state',
    '20261121001700-retention',
    '20261122000100-due-agents',
    '20261122000200-attempts',
  ],
  howToGetThere:
    'This release converts databases of the release before only. Check out its last commit, 7b63873, run `node bin/migrate.ts` there, and then migrate with this release.',
  convert,
}
