/** A column of sealed values. A value's place is its row's `id` and `table.column`. */
export interface SealedColumn {
  table: string
  column: string
}

/** All columns of sealed values. A column missing here becomes unreadable when a key is removed. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'vault_entries', column: 'credential' },
  { table: 'agents', column: 'webhook_secret' },
  { table: 'agents', column: 'previous_webhook_secret' },
  { table: 'agents', column: 'callback_secret' },
  { table: 'notification_webhooks', column: 'secret' },
  { table: 'oauth_flows', column: 'verifier' },
  { table: 'oauth_flows', column: 'client_secret' },
  { table: 'outbox_mails', column: 'body' },
  { table: 'second_factors', column: 'secret' },
  { table: 'vault_revocations', column: 'token' },
  { table: 'vault_revocations', column: 'client_secret' },
  { table: 'workspace_providers', column: 'client_secret' },
  { table: 'sign_in_flows', column: 'verifier' },
]

/** The column's name in a `SealedPlace` and in messages: `vault_entries.credential`. */
export const nameOfColumn = ({ table, column }: SealedColumn): string => `${table}.${column}`
