import { assertThat } from '../errors.ts'
import { Row } from '../database/row.ts'
import { tierOf, type Feature, type Limits, type PaidTierName, type TierName } from './tiers.ts'

/** The tier, subscription and credit balance of one owner (table `accounts`). */
export class Account extends Row {
  static override tableName = 'accounts'
  static override idColumn = 'ownerId'
  declare ownerId: string
  declare tier: TierName
  /** Until when the tier is paid; null for the free tier. */
  declare currentPeriodEnd: Date | null
  /** Always the sum of the owner's ledger entries; changed only under this row's lock. */
  declare balance: number
  /** The last month and tier for which a grant was settled (`2026-11/free`), so that seeing it costs no further query. */
  declare grantedPeriod: string | null
  declare createdAt: Date
}

export interface Subscription {
  tier: PaidTierName
  /** Past due: the paid period is over and nothing renewed it. */
  status: 'active' | 'past_due'
  currentPeriodEnd: Date
}

/** What the rest of the house knows of an owner's standing. `balance` is in credits and may be below zero. */
export interface Standing {
  tier: TierName
  limits: Limits
  features: readonly Feature[]
  subscription: Subscription | null
  balance: number
}

export function standingOf(account: Account, now: Date): Standing {
  const { tier, balance } = account
  const { limits, features } = tierOf(tier)
  return { tier, limits, features, subscription: subscriptionOf(account, now), balance }
}

/** Whether it is paid is derived from the date: no job has to run for a subscription to become past due. */
export function subscriptionOf({ tier, currentPeriodEnd }: Account, now: Date): Subscription | null {
  if (tier === 'free' || currentPeriodEnd === null) return null
  return { tier, status: currentPeriodEnd > now ? 'active' : 'past_due', currentPeriodEnd }
}

/** Whether the account `b` is in good standing at `:now`, as `subscriptionOf` derives it, for statements over many. */
export const isPaidSql = `(b.tier = 'free' or b.current_period_end > :now)`

/** Whether a look at the account `b` at `:now` would make the month's grant: none is made while payment is overdue. */
export const isGrantDueSql = `(${isPaidSql} and b.granted_period is distinct from
  to_char(:now::timestamptz at time zone 'UTC', 'YYYY-MM') || '/' || b.tier)`

/** Refuses an account whose subscription is not paid: SUBSCRIPTION_PAST_DUE. */
export function requireGoodStanding(account: Pick<Standing, 'subscription'>): void {
  assertThat(account.subscription?.status !== 'past_due', 'SUBSCRIPTION_PAST_DUE')
}

/** Refuses an account without a single credit: NO_CREDITS. */
export function requireCredits(account: Pick<Standing, 'balance'>): void {
  assertThat(account.balance >= 1, 'NO_CREDITS')
}
