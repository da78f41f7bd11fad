/** How the rows of one new table come from an old one. */
export interface Copy {
  table: string
  /** The old table; by default the one with the same name. */
  from?: string
  /** Which of its rows; all by default. */
  where?: string
  /** Columns that do not come from the old column of the same name: their SQL expressions; null for their default. */
  columns?: Record<string, string | null>
}

/**
 * What was a text in a JSON object is a text. If Postgres cannot keep it so, it is JSON behind U+0001 (any-text.ts), cut
 * out of the object: the operators of `json` would refuse it.
 */
const anyText = (column: string) =>
  `case when ${column}::text ~ '\\\\u(0000|0001|[dD][89a-fA-F])'
        then chr(1) || substring(${column}::text from '^\\{"text":(".*")\\}$')
        else ${column}->>'text' end`

const textsOfCalls = { arguments: anyText('arguments'), result: anyText('result') }

/** Replays of one run have one body, so their keys need no hash. */
const hashOfBody = `case when replay_of is null then decode(body_hash, 'hex') end`

/** In the order in which tables refer to each other. */
export const copies: Copy[] = [
  { table: 'users' },
  { table: 'logins' },
  { table: 'refresh_tokens' },
  { table: 'api_keys' },
  { table: 'accounts' },
  { table: 'payment_methods' },
  { table: 'ledger_entries' },
  { table: 'vault_entries' },
  { table: 'vault_canaries' },
  { table: 'vault_refreshes' },
  { table: 'oauth_flows' },
  { table: 'manifest_changes' },
  { table: 'agents' },
  { table: 'agent_sites' },
  { table: 'agent_queues' },
  { table: 'due_agents', columns: { id: null } },
  { table: 'runs' },
  {
    table: 'idempotency_keys',
    from: 'runs',
    where: 'idempotency_key is not null',
    columns: { run_id: 'id', key: 'idempotency_key', body_hash: hashOfBody },
  },
  { table: 'run_inputs', from: 'runs', where: 'payload is not null', columns: { run_id: 'id' } },
  { table: 'run_steps', columns: { answer: anyText('answer') } },
  {
    table: 'run_tool_calls',
    from: 'tool_calls',
    where: `origin = 'run'`,
    columns: { refused_attempts: 'harmless', ...textsOfCalls },
  },
  { table: 'run_events' },
  {
    table: 'direct_tool_calls',
    from: 'tool_calls',
    where: `origin = 'direct'`,
    columns: { refused_attempts: 'harmless', ...textsOfCalls },
  },
  { table: 'outgoing_hosts' },
  { table: 'outgoing_slots' },
  { table: 'outgoing_waits' },
  { table: 'schedules' },
  { table: 'schedule_fires' },
  { table: 'callbacks' },
  { table: 'callback_attempts' },
  { table: 'notifications' },
  { table: 'leases' },
  { table: 'workers' },
  { table: 'rate_limits' },
]

/** Every table of the old schema. */
export const replaced: string[] = [...new Set(copies.map(({ table, from = table }) => from))]
