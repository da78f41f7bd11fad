import { Row } from '../database/row.ts'
import type { PaidTierName } from './tiers.ts'

export const paymentPurposes = ['subscription', 'credits', 'top_up'] as const
export const paymentStatuses = ['pending', 'paid', 'failed', 'refunded'] as const

/** A payment by an account, done or pending (table `payments`). */
export class Payment extends Row {
  static override tableName = 'payments'
  static override idColumn = ['ownerId', 'id']
  declare id: string
  declare ownerId: string
  declare purpose: (typeof paymentPurposes)[number]
  declare status: (typeof paymentStatuses)[number]
  /** US cents charged to the card; negative if credited toward later subscription payments. */
  declare cents: number
  /** The part paid from earlier credit; negative for a debt. */
  declare fromCreditCents: number
  /** The bought credits; null for a subscription. */
  declare credits: number | null
  /** How often it was refunded: a dispute can be lost, won and lost again. */
  declare timesBack: number
  declare tier: PaidTierName | null
  /** The gateway's id, once known. */
  declare reference: string | null
  /** The idempotency key of the client's request. */
  declare requestKey: string | null
  declare failure: string | null
  declare createdAt: Date
  declare settledAt: Date | null
}
