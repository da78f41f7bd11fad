import { Row } from '../database/row.ts'
import type { PaidTierName } from './tiers.ts'

export const paymentPurposes = ['subscription', 'credits', 'top_up'] as const
export const paymentStatuses = ['pending', 'paid', 'failed', 'refunded'] as const

/** What an account has paid, or is to pay (table `payments`). */
export class Payment extends Row {
  static override tableName = 'payments'
  static override idColumn = ['ownerId', 'id']
  declare id: string
  declare ownerId: string
  declare purpose: (typeof paymentPurposes)[number]
  declare status: (typeof paymentStatuses)[number]
  /** US cents, charged to the card; negative if they were credited to later payments of subscriptions. */
  declare cents: number
  /** What was paid besides, from what had been credited; negative for a debt. */
  declare fromCreditCents: number
  /** Those that are bought; null for a subscription. */
  declare credits: number | null
  /** How often it was paid back: a dispute may be lost, won and lost again. */
  declare timesBack: number
  /** Of a subscription. */
  declare tier: PaidTierName | null
  /** The gateway's name for it, once that is known. */
  declare reference: string | null
  /** The idempotency key of the request that it comes from. */
  declare requestKey: string | null
  /** Why it was refused. */
  declare failure: string | null
  declare createdAt: Date
  declare settledAt: Date | null
}
