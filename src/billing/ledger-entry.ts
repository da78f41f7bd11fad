import { Row } from '../database/row.ts'

/** One change of a balance. Entries are never changed or deleted; the database refuses it. */
export class LedgerEntryRow extends Row {
  static override tableName = 'ledger_entries'
  declare id: string
  declare ownerId: string
  declare kind: 'grant' | 'step'
  declare credits: number
  declare balanceAfter: number
  declare period: string | null
  declare runId: string | null
  declare step: number | null
  declare createdAt: Date
}

export interface LedgerEntry {
  id: string
  kind: 'grant' | 'step'
  /** Positive for what was added, negative for what was used. */
  credits: number
  balanceAfter: number
  /** Month and tier of a grant (`2026-11/pro`). */
  period: string | null
  runId: string | null
  step: number | null
  createdAt: Date
}

export function presentLedgerEntry(row: LedgerEntryRow): LedgerEntry {
  const { id, kind, credits, balanceAfter, period, runId, step, createdAt } = row
  return { id, kind, credits, balanceAfter, period, runId, step, createdAt }
}
