import { Row } from '../database/row.ts'

export const ledgerEntryKinds = [
  'grant',
  'purchase',
  'top_up',
  'promotion',
  'expiry',
  'refund',
  'reinstated',
  'step',
  'failed_step',
  'chat_step',
] as const
export type LedgerEntryKind = (typeof ledgerEntryKinds)[number]

/** One change of a balance (table `ledger_entries`). The database refuses to change or delete entries. */
export class LedgerEntry extends Row {
  static override tableName = 'ledger_entries'
  static override jsonAttributes = ['price', 'drawn']
  declare id: string
  declare ownerId: string
  declare kind: LedgerEntryKind
  /** Positive if added, negative if used. */
  declare credits: number
  declare balanceAfter: number
  /**
   * For a grant: the calendar month or the end of the paid month, and the tier (`2026-11/free`,
   * `2026-12-15T10:00:00.000Z/pro`).
   */
  declare period: string | null
  declare runId: string | null
  declare agentId: string | null
  /** The workspace that used the credits; null for the account itself. */
  declare workspaceId: string | null
  /** For a chat step: its answer. */
  declare answerId: string | null
  declare step: number | null
  /** For a failed model call that was billed. */
  declare attempt: number | null
  /** For a step: input and output tokens. */
  declare tokens: number | null
  /** The model call's cost in billionths of a USD, and the price used; null if unknown. */
  declare costNanoUsd: number | null
  declare price: Record<string, unknown> | null
  /** The grant that was made, expired or reversed, and the payment behind it. */
  declare grantId: string | null
  declare paymentId: string | null
  /** For a payment that was refunded, or paid after all: how many times that has happened. */
  declare turn: number | null
  /** The credits held for the step before the charge. */
  declare held: number | null
  /** The credits drawn, by grant. */
  declare drawn: Record<string, number> | null
  declare createdAt: Date
}
