import { sorted } from './old-database.ts'

type Row = Record<string, string>
type Tables = Record<string, Row[]>

/** The row without some of its columns. */
export const without = (row: Row, ...columns: string[]): Row =>
  Object.fromEntries(Object.entries(row).filter(([column]) => !columns.includes(column)))

/** Limits go by the host alone. */
const withoutPort = ({ host = '', ...row }: Row): Row => ({ ...row, host: host.replace(/:\d+$/, '') })

/** What the conversion makes of the tables of the release before. */
export function expectedOf(before: Tables): Tables {
  const { runs = [], run_steps: steps = [], tool_calls: calls = [], due_agents: due = [], ...rest } = before
  const { outgoing_hosts: hosts = [], outgoing_slots: slots = [], outgoing_waits: waits = [], ...more } = rest
  const { agents = [], users = [], accounts = [], payment_methods: cards = [], ...others } = more
  const paying = accounts.filter(({ tier }) => tier !== 'free')
  const known = new Set([...paying, ...cards].map(({ owner_id: ownerId = '' }) => ownerId))
  const expected: Tables = {
    ...others,
    accounts: accounts.map(accountOf),
    payments: [],
    credit_grants: [],
    credit_holds: [],
    credit_months: [],
    payment_methods: cards,
    users: users.map((row) => ({ ...row, admin: 'false' })),
    owners: users.map(({ id = '', created_at: at = '' }) => ({ id, created_at: at, kind: 'user' })),
    workspaces: [],
    workspace_months: [],
    members: [],
    invitations: [],
    deletions: [],
    workspace_providers: [],
    identities: [],
    sign_in_flows: [],
    agents: agents.map((row) => ({ ...row, summarizes: 'false' })),
    live_watches: [],
    live_words: [],
    sessions: [],
    session_sites: [],
    chat_messages: [],
    chat_answers: [],
    chat_steps: [],
    chat_tool_calls: [],
    chat_words: [],
    approvals: [],
    vault_revocations: [],
    outbox_mails: [],
    audit_entries: [],
    billing_requests: [],
    stripe_events: [],
    stripe_cursors: [],
    sandbox_customers: [...known].map((ownerId) => ({ owner_id: ownerId, credit_cents: '0' })),
    sandbox_cards: cards.map(({ id = '', owner_id: ownerId = '', reference = '' }) => ({
      id,
      owner_id: ownerId,
      reference,
      method: reference,
    })),
    sandbox_subscriptions: paying.map(({ owner_id: ownerId = '', tier = '', current_period_end: anchor = '' }) => ({
      owner_id: ownerId,
      reference: `sandbox_${ownerId}`,
      tier,
      status: 'active',
      anchor,
      months: '0',
      retries: '0',
    })),
    sandbox_payments: [],
    sandbox_requests: [],
    account_tokens: [],
    second_factors: [],
    recovery_codes: [],
    password_requests: [],
    due_agents: due.map((row) => without(row, 'id')),
    runs: runs.map((row) => without(row, 'payload', 'prompt', 'body_hash', 'idempotency_key')),
    run_inputs: runs.flatMap(({ id = '', payload }) => (payload === undefined ? [] : [{ run_id: id, payload }])),
    agent_prompts: promptsOf(runs),
    agent_lost_sites: [],
    stored_bytes: [],
    // Of the ports of a host at most one is held.
    outgoing_hosts: [...Map.groupBy(hosts.map(withoutPort), (row) => row['host']).values()].map(
      (same): Row => Object.assign({}, ...same) as Row,
    ),
    outgoing_slots: slots.map(withoutPort),
    outgoing_waits: waits.map(withoutPort),
    run_steps: steps.map((row) => textOf(row, 'answer')),
    idempotency_keys: runs.flatMap(keyOf),
    run_tool_calls: calls
      .filter(({ origin }) => origin === 'run')
      .map((row) => renamed(without(row, 'origin', 'owner_id', 'idempotency_key'))),
    direct_tool_calls: calls
      .filter(({ origin }) => origin === 'direct')
      .map((row) => renamed(without(row, 'origin', 'name', 'idempotency_key', 'epoch', 'in_doubt'))),
  }
  return Object.fromEntries(Object.entries(expected).map(([table, rows]) => [table, sorted(rows)]))
}

/** Subscriptions go on in the sandbox, from the end of the month that is paid. */
function accountOf(row: Row): Row {
  const { owner_id: ownerId = '', tier = '', current_period_end: lookAt = '' } = row
  const counters = { clock_seconds: '0', looks_begun: '0', look_applied: '0', top_up_failures: '0', credit_cents: '0' }
  const all = { ...row, ...counters, top_up_is_on: 'false', exceeds: 'false', fitted_tier: tier }
  const name = `sandbox_${ownerId}`
  return tier === 'free'
    ? all
    : { ...all, customer: name, subscription: name, subscription_status: 'active', look_at: lookAt }
}

/** One for each change of the instructions; nothing replaced them in these runs. */
function promptsOf(runs: Row[]): Row[] {
  const claimed = runs.filter(({ prompt }) => prompt !== undefined)
  const inOrder = claimed.toSorted((one, other) => Number(one['sequence']) - Number(other['sequence']))
  const byAgent = Map.groupBy(inOrder, ({ agent_id: agentId = '' }) => agentId)
  return [...byAgent].flatMap(([agentId, own]) =>
    own
      .filter(({ prompt }, index) => prompt !== own[index - 1]?.['prompt'])
      .map(({ sequence = '', prompt = '' }) => {
        const { systemPrompt, schema } = JSON.parse(prompt) as { systemPrompt: string; schema: unknown }
        const schemas: Row = schema === null ? {} : { webhook_schema: JSON.stringify(schema) }
        const given = { system_prompt: systemPrompt, allow_action_override: 'false', summarizes: 'false', ...schemas }
        return { agent_id: agentId, since_sequence: sequence, ...given }
      }),
  )
}

/** A text that was in a JSON object. */
const textOf = (row: Row, ...columns: string[]): Row => ({
  ...row,
  ...Object.fromEntries(
    columns.flatMap((column) => {
      const { [column]: json } = row
      return json === undefined ? [] : [[column, (JSON.parse(json) as { text: string }).text]]
    }),
  ),
})

function keyOf({
  id = '',
  agent_id: agentId = '',
  idempotency_key: key,
  body_hash: hash,
  replay_of: replayed,
}: Row): Row[] {
  if (key === undefined) return []
  // Replays of one run have one body.
  const hashed = hash !== undefined && replayed === undefined
  return [{ agent_id: agentId, run_id: id, key, ...(hashed && { body_hash: `\\x${hash}` }) }]
}

const renamed = ({ harmless = '', ...row }: Row): Row =>
  textOf({ ...row, refused_attempts: harmless }, 'arguments', 'result')
