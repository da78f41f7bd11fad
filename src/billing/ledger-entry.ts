import { Row } from '../database/row.ts'

/** One change of a balance (table `ledger_entries`). The database refuses to change or delete entries. */
export class LedgerEntry extends Row {
  static override tableName = 'ledger_entries'
  declare id: string
  declare ownerId: string
  declare kind: 'grant' | 'step'
  /** Positive if added, negative if used. */
  declare credits: number
  declare balanceAfter: number
  /** Month and tier of a grant (`2026-11/pro`). */
  declare period: string | null
  declare runId: string | null
  declare step: number | null
  declare createdAt: Date
}
