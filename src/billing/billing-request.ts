import { Row } from '../database/row.ts'
import type { When } from './gateways/gateway.ts'
import type { PaidTierName } from './tiers.ts'

/** A request to the gateway in progress (table `billing_requests`), at most one per account. */
export class BillingRequest extends Row {
  static override tableName = 'billing_requests'
  static override idColumn = 'ownerId'
  declare ownerId: string
  /** The idempotency key at the gateway. */
  declare id: string
  declare action: 'subscribe' | 'change' | 'cancel' | 'keep' | 'pay_overdue'
  /** The gateway's id of the subscription. */
  declare subscription: string | null
  declare tier: PaidTierName | null
  declare at: When | null
  declare createdAt: Date
}

/** The request that a rule wants to send. */
export type Asked = Pick<BillingRequest, 'action' | 'subscription' | 'tier' | 'at'>
