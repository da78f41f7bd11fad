import { Row } from '../database/row.ts'

/** What can change a balance. */
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
   * Of a grant: the calendar month, or until when the month is paid, and the tier (`2026-11/free`,
   * `2026-12-15T10:00:00.000Z/pro`).
   */
  declare period: string | null
  declare runId: string | null
  /** The agent of the run. */
  declare agentId: string | null
  /** The workspace that used the credits; null if it was the account itself. */
  declare workspaceId: string | null
  /** Of a step of a chat: its answer. */
  declare answerId: string | null
  declare step: number | null
  /** Of a model call that failed and was billed all the same. */
  declare attempt: number | null
  /** Of a step: the tokens that its model has read and written. */
  declare tokens: number | null
  /** What the model call cost, in billionths of a USD, and the price that was used; null if none was known. */
  declare costNanoUsd: number | null
  declare price: Record<string, unknown> | null
  /** The grant that was made, has expired, or went back with its month; and the payment behind it. */
  declare grantId: string | null
  declare paymentId: string | null
  /** Of a payment that was paid back, or was paid all the same afterwards: which time that is. */
  declare turn: number | null
  /** What was held for the step until it was charged. */
  declare held: number | null
  /** From which grants it was taken, in credits. */
  declare drawn: Record<string, number> | null
  declare createdAt: Date
}
