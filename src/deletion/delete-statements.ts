/** SQL that deletes at most `:batch` rows of `:ownerId`, and the few rows that cascade from each. */
type Emptying = string

/**
 * A subquery hides the value from the planner. For an owner with many rows, the planner would otherwise choose to scan
 * the whole table for each batch.
 */
const owner = '(select :ownerId::uuid)'

/** The rows whose column has this value. */
const by = (table: string, column: string, key = 'id', value = owner): Emptying => `
  delete from ${table} where ${key} = any(array(
    select ${key} from ${table} where ${column} = ${value} limit :batch))`

const ofAgents = (table: string): Emptying => `
  delete from ${table} where agent_id = any(array(
    select t.agent_id from agents a join ${table} t on t.agent_id = a.id where a.owner_id = ${owner} limit :batch))`

/** Rows that one agent may have in large numbers. */
const manyOfAgents = (table: string, key: string): Emptying => `
  delete from ${table} where (agent_id, ${key}) in (
    select t.agent_id, t.${key} from agents a join ${table} t on t.agent_id = a.id
     where a.owner_id = ${owner} limit :batch)`

/**
 * The audit log keeps who did what and when. This clears personal details of deleted people and things. The table's
 * trigger allows no other change to an entry.
 */
const forget = (cleared: readonly string[], found: string): Emptying => `
  update audit_entries set ${cleared.map((column) => `${column} = null`).join(', ')}
    from (select set_config('switchyard.audit', 'forget', true)) s (purpose)
   where s.purpose = 'forget' and id = any(array(
     select e.id from ${found} and coalesce(${cleared.map((column) => `e.${column}::text`).join(', ')}) is not null limit :batch))`

/**
 * Rows that any owner may have, except runs, sessions and vault entries. The order respects foreign keys. Callbacks of
 * runs are deleted with their runs.
 */
export const ofOwner: Emptying[] = [
  by('approvals', 'owner_id'),
  by('direct_tool_calls', 'owner_id'),
  by('callbacks', 'owner_id'),
  by('notifications', 'owner_id'),
  by('notification_webhooks', 'owner_id'),
  by('oauth_flows', 'owner_id'),
  by('documents', 'owner_id'),
  `delete from stored_bytes where owner_id = ${owner}`,
  manyOfAgents('schedule_fires', 'nominal_at'),
  // Rows of agents that have moved to another owner.
  `delete from schedule_fires where ctid = any(array(
     select ctid from schedule_fires where owner_id = ${owner} limit :batch))`,
  manyOfAgents('agent_prompts', 'since_sequence'),
  manyOfAgents('agent_versions', 'version'),
  manyOfAgents('due_agents', 'id'),
  ofAgents('schedules'),
  ofAgents('agent_queues'),
  ofAgents('refused_deliveries'),
  ofAgents('delivery_habits'),
  by('agents', 'owner_id'),
  forget(['before', 'after', 'address', 'user_agent'], `audit_entries e where e.owner_id = ${owner}`),
  // An admin's reason for giving credits may describe the person.
  `update credit_grants set note = null where owner_id = ${owner} and id = any(array(
     select id from credit_grants where owner_id = ${owner} and note is not null limit :batch))`,
]

const tokensOfLogins = (column: string): Emptying => `
  delete from refresh_tokens where id = any(array(
    select t.id from logins l join refresh_tokens t on t.login_id = l.id where l.${column} = ${owner} limit :batch))`

export const ofWorkspace: Emptying[] = [
  tokensOfLogins('workspace_id'),
  by('logins', 'workspace_id'),
  by('workspace_providers', 'workspace_id'),
  by('api_keys', 'workspace_id'),
  by('connected_apps', 'workspace_id'),
  by('invitations', 'workspace_id'),
  by('members', 'workspace_id'),
]

/** Only the user's row has the email address. */
const email = '(select email from users where id = :ownerId)'

/** Rows of a user as a person, including rows in workspaces of others. */
export const ofUser: Emptying[] = [
  tokensOfLogins('user_id'),
  by('logins', 'user_id'),
  by('second_factors', 'user_id'),
  by('identities', 'user_id'),
  by('sign_in_flows', 'user_id'),
  forget(['address', 'user_agent'], `audit_entries e where e.actor_id = ${owner}`),
  // The admin's own audit log also contains the reason for giving credits.
  forget(
    ['before', 'after'],
    `credit_grants g join audit_entries e on e.subject_id = g.id::text where g.owner_id = ${owner}`,
  ),
  by('account_tokens', 'user_id'),
  by('billing_requests', 'owner_id', 'owner_id'),
  ...['customers', 'cards', 'subscriptions', 'payments', 'requests'].map((what) =>
    by(`sandbox_${what}`, 'owner_id', 'owner_id'),
  ),
  by('api_keys', 'user_id'),
  by('connected_apps', 'user_id'),
  by('members', 'user_id'),
  by('invitations', 'invited_by'),
  by('invitations', 'accepted_by'),
  by('invitations', 'email', 'id', email),
  by('outbox_mails', 'recipient', 'id', email),
  by('password_requests', 'email', 'id', email),
  // The workspace keeps its sessions.
  `update sessions set user_id = null where id = any(array(
     select id from sessions where user_id = ${owner} limit :batch))`,
]
