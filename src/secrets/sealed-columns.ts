/** A column whose values are sealed; the place of each is its row's `id` and `table.column`. */
export interface SealedColumn {
  table: string
  column: string
}

/** All columns that hold sealed values. A column that is missing here is lost when a key is taken away. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'vault_entries', column: 'credential' },
  { table: 'agents', column: 'webhook_secret' },
  { table: 'agents', column: 'previous_webhook_secret' },
  { table: 'agents', column: 'callback_secret' },
  { table: 'oauth_flows', column: 'verifier' },
]

/** As a `SealedPlace` and people name it: `vault_entries.credential`. */
export const nameOfColumn = ({ table, column }: SealedColumn): string => `${table}.${column}`
