/* SQL for an account's things, oldest first. Those beyond a limit exceed it. */

/** The user and the workspaces that the account pays for. */
const owners = '(select :ownerId::uuid union all select id from workspaces where payer_id = :ownerId)'

/** What limits count, by table. */
export const counted = {
  agents: `owner_id in ${owners} and deleted_at is null`,
  vault_entries: `owner_id in ${owners}`,
  api_keys: `
    revoked_at is null and (expires_at is null or expires_at > :now)
      and (workspace_id in ${owners} or (workspace_id is null and user_id = :ownerId))`,
  workspaces: 'payer_id = :ownerId and deleted_at is null',
} as const

/** All rows of a table, and whether each exceeds the limit. */
export const rowsOverLimit = (table: keyof typeof counted, limit: string): string => `
  select t.*, row_number() over (order by created_at, id) > ${limit} as exceeds from ${table} t where ${counted[table]}`

/** A limit for SQL, whose integers have no Infinity. */
export const countable = (limit: number): number => (Number.isFinite(limit) ? limit : 2_000_000_000)
