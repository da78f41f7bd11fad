/** Lists that are read in order of arrival, with the columns that find their rows. */
const lists: Readonly<Record<string, readonly string[]>> = {
  agents: ['owner_id'],
  api_keys: ['user_id', 'workspace_id'],
  approvals: ['owner_id'],
  audit_entries: ['owner_id', ''],
  callbacks: ['agent_id'],
  connected_apps: ['user_id'],
  direct_tool_calls: ['vault_entry_id'],
  invitations: ['workspace_id'],
  ledger_entries: ['owner_id', 'workspace_id'],
  logins: ['user_id'],
  manifest_changes: ['entry_id'],
  members: ['workspace_id'],
  notifications: ['owner_id'],
  outbox_mails: [''],
  payments: ['owner_id'],
  runs: ['owner_id'],
  schedule_fires: ['agent_id'],
  sessions: ['owner_id'],
  users: [''],
  vault_entries: ['owner_id'],
  vault_refreshes: ['entry_id'],
  workspaces: [''],
}

const indexOf = (table: string, column: string): string =>
  column === ''
    ? `create index ${table}_arrival on ${table} (arrival);`
    : `create index ${table}_arrival_of_${column.replace('_id', '')} on ${table} (${column}, arrival)
       ${column === 'workspace_id' ? 'where workspace_id is not null' : ''};`

const listStatements = Object.entries(lists).map(
  ([table, columns]) => `
  alter table ${table} add column arrival bigint not null default pg_current_xact_id()::text::bigint;
  ${columns.map((column) => indexOf(table, column)).join('\n  ')}`,
)

/**
 * The order of arrival is the number of the transaction that put a row into its list. Postgres knows the number below
 * which every transaction has ended. A reader who stops there misses nothing, whatever commits late and whatever clocks
 * say. Another cluster counts its transactions from the start; `base` is added there, so numbers never decrease.
 */
export const arrivals = `
  create table arrivals (
    cluster bigint not null,
    timeline bigint not null,
    base bigint not null
  );
  insert into arrivals
  select s.system_identifier, c.timeline_id, 0 from pg_control_system() s, pg_control_checkpoint() c;
  ${listStatements.join('\n')}
`
