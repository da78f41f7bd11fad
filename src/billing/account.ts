import { Row } from '../database/row.ts'
import type { Limits, TierName } from './tiers.ts'

/** The tier, subscription and credit balance of one owner (table `accounts`). */
export class Account extends Row {
  static override tableName = 'accounts'
  static override idColumn = 'ownerId'
  declare ownerId: string
  declare tier: TierName
  /** What an admin has given or set; null for nothing. In the limits, null is any number. */
  declare givenTier: TierName | null
  declare limits: Partial<Record<keyof Limits, number | null>> | null
  /** The end of the paid period; null for the free tier. */
  declare currentPeriodEnd: Date | null
  /** The gateway's names for the account and for its subscription. */
  declare customer: string | null
  declare subscription: string | null
  /** What the gateway says of it; null without one. */
  declare subscriptionStatus: 'active' | 'past_due' | null
  /** The tier that follows at the end of the period; null for the same. */
  declare nextTier: TierName | null
  /** How many seconds the clock of the sandbox is ahead for this account. */
  declare clockSeconds: number
  /** The looks at the gateway: how many were begun, which one was applied last, and when the next is due automatically. */
  declare looksBegun: number
  declare lookApplied: number
  declare lookAt: Date | null
  /** Credits that are bought automatically: so many, once the balance is below a threshold, for so much in a month at most. */
  declare topUpIsOn: boolean
  declare topUpBelow: number | null
  declare topUpCredits: number | null
  declare topUpCentsPerMonth: number | null
  /** In a row, and until when nothing is tried again, by the account's own clock. */
  declare topUpFailures: number
  declare topUpAfter: Date | null
  /** To whose limits its things were fitted: those of a tier, or of an installation without tiers (`off`); null if they are to be fitted anew. And whether some exceed them. */
  declare fittedTier: string | null
  declare exceeds: boolean
  /** What it may use in a month, its workspaces included; null for any number. */
  declare creditsPerMonth: number | null
  /** Since when the subscription is cancelled; the account returns to the free tier at the end of the period. */
  declare cancelledAt: Date | null
  /** The sum of the owner's ledger entries, changed only under this row's lock. */
  declare balance: number
  /** US cents that are credited to later payments of subscriptions, as the gateway has said last. */
  declare creditCents: number
  /** The last month whose grant was made, as the grant names it, so that checking takes no further query. */
  declare grantedPeriod: string | null
  declare createdAt: Date
  /** What it has used of this month (its own time), as it was read with the account: credits, null without a cap, and tokens. */
  declare usedThisMonth?: number | null
  declare tokensThisMonth?: number
  /** When the first of its grants that are not used up is over, as it was read with the account. */
  declare nextExpiry?: Date | null
  /** Whether the owner is to be deleted, as it was read with the account. */
  declare isClosing?: boolean
  /** Whether an admin has suspended the owner, and whether the owner's address is verified or the owner an admin, as above. */
  declare isSuspended?: boolean
  declare isKnown?: boolean
}
