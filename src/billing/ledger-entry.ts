import { Row } from '../database/row.ts'

/** One change of a balance (table `ledger_entries`). The database refuses to change or delete entries. */
export class LedgerEntry extends Row {
  static override tableName = 'ledger_entries'
  static override jsonAttributes = ['price']
  declare id: string
  declare ownerId: string
  declare kind: 'grant' | 'step' | 'failed_step' | 'chat_step'
  /** Positive if added, negative if used. */
  declare credits: number
  declare balanceAfter: number
  /** Month and tier of a grant (`2026-11/pro`). */
  declare period: string | null
  declare runId: string | null
  /** The workspace that used the credits; null if it was the account itself. */
  declare workspaceId: string | null
  /** Of a step of a chat: its answer. */
  declare answerId: string | null
  declare step: number | null
  /** Of a model call that failed and was billed all the same. */
  declare attempt: number | null
  /** What the model call cost, in billionths of a USD, and the price that was used; null if none was known. */
  declare costNanoUsd: number | null
  declare price: Record<string, unknown> | null
  declare createdAt: Date
}
