import { Row, selecting } from '../database/row.ts'
import type { Limits, TierName } from './tiers.ts'

/** The tier, subscription and credit balance of one owner (table `accounts`). */
export class Account extends Row {
  static override tableName = 'accounts'
  static override idColumn = 'ownerId'
  declare ownerId: string
  declare tier: TierName
  /** What an admin has set; null for nothing. A limit of null means unlimited. */
  declare givenTier: TierName | null
  declare limits: Partial<Record<keyof Limits, number | null>> | null
  /** The end of the paid period; null for the free tier. */
  declare currentPeriodEnd: Date | null
  /** The gateway's ids for the customer and its subscription. */
  declare customer: string | null
  declare subscription: string | null
  /** The gateway's status of the subscription; null without one. */
  declare subscriptionStatus: 'active' | 'past_due' | null
  /** The tier from the next period on; null for the same tier. */
  declare nextTier: TierName | null
  /** How many seconds this account's sandbox clock is ahead. */
  declare clockSeconds: number
  /** Polls of the gateway: how many began, which was applied last, and when the next is due automatically. */
  declare looksBegun: number
  declare lookApplied: number
  declare lookAt: Date | null
  /** Automatic purchases: the amount, the balance that triggers one, and the monthly maximum. */
  declare topUpEnabled: boolean
  declare topUpBelow: number | null
  declare topUpCredits: number | null
  declare topUpCentsPerMonth: number | null
  /** Failures in a row, and the end of the pause after one, by the account's own clock. */
  declare topUpFailures: number
  declare topUpAfter: Date | null
  /**
   * The tier to whose limits the account's things were last fitted, or `off` for an installation without tiers; null to
   * fit them again. And whether some exceed the limits.
   */
  declare fittedTier: string | null
  declare exceeds: boolean
  /** Monthly credit cap, workspaces included; null for none. */
  declare creditsPerMonth: number | null
  /** When the subscription was cancelled. The account returns to the free tier at the end of the period. */
  declare cancelledAt: Date | null
  /** The sum of the owner's ledger entries. It changes only under this row's lock. */
  declare balance: number
  /** US cents of credit toward later subscription payments, as the gateway last reported. */
  declare creditCents: number
  /** The last month that was granted, in the grant's form. It saves a query. */
  declare grantedPeriod: string | null
  declare createdAt: Date
  /** Usage of this month by the account's own clock, read with the account: credits (null without a cap) and tokens. */
  declare usedThisMonth?: number | null
  declare tokensThisMonth?: number
  /** The earliest expiry of its remaining grants, read with the account. */
  declare nextExpiry?: Date | null
  /** Whether the owner is marked for deletion, read with the account. */
  declare isClosing?: boolean
  /**
   * Whether the owner is suspended, and whether the owner is an admin or has a verified address. Read with the account.
   */
  declare isSuspended?: boolean
  declare isKnown?: boolean
}

type Read = 'usedThisMonth' | 'tokensThisMonth' | 'nextExpiry' | 'isClosing' | 'isSuspended' | 'isKnown'

/** An account as a plain object. */
export type AccountFields = Omit<Account, keyof Row>

const accountFields = Object.keys({
  ownerId: 0,
  tier: 0,
  givenTier: 0,
  limits: 0,
  currentPeriodEnd: 0,
  customer: 0,
  subscription: 0,
  subscriptionStatus: 0,
  nextTier: 0,
  clockSeconds: 0,
  looksBegun: 0,
  lookApplied: 0,
  lookAt: 0,
  topUpEnabled: 0,
  topUpBelow: 0,
  topUpCredits: 0,
  topUpCentsPerMonth: 0,
  topUpFailures: 0,
  topUpAfter: 0,
  fittedTier: 0,
  exceeds: 0,
  creditsPerMonth: 0,
  cancelledAt: 0,
  balance: 0,
  creditCents: 0,
  grantedPeriod: 0,
  createdAt: 0,
} satisfies Record<keyof Omit<AccountFields, Read>, 0>)

/** SQL that selects the columns of `accounts`. */
export const selectingAccount = selecting(accountFields, 'accounts')
