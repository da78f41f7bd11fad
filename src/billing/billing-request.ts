import { Row } from '../database/row.ts'
import type { When } from './gateways/gateway.ts'
import type { PaidTierName } from './tiers.ts'

/** What is being asked of the gateway for an account (table `billing_requests`): one thing at a time. */
export class BillingRequest extends Row {
  static override tableName = 'billing_requests'
  static override idColumn = 'ownerId'
  declare ownerId: string
  /** The key under which the gateway does it once. */
  declare id: string
  declare action: 'subscribe' | 'change' | 'cancel' | 'keep' | 'pay_overdue'
  /** The gateway's name for the subscription that it is about. */
  declare subscription: string | null
  declare tier: PaidTierName | null
  declare at: When | null
  declare createdAt: Date
}

/** What is to be asked, as a rule says. */
export type Asked = Pick<BillingRequest, 'action' | 'subscription' | 'tier' | 'at'>
