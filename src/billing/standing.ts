import { assertThat } from '../errors.ts'
import type { Account } from './account.ts'
import { tierOf, type Feature, type Limits, type PaidTierName, type TierName } from './tiers.ts'

interface Subscription {
  tier: PaidTierName
  /** Past due: the paid period is over and nothing renewed it. */
  status: 'active' | 'past_due'
  currentPeriodEnd: Date
}

/** What an owner may do now and has paid for, as it follows from the account. `balance` is in credits and may be below zero. */
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

/** Refuses an owner whose subscription is not paid: SUBSCRIPTION_PAST_DUE. */
export function requireGoodStanding({ subscription }: Pick<Standing, 'subscription'>): void {
  assertThat(subscription?.status !== 'past_due', 'SUBSCRIPTION_PAST_DUE')
}

/** Refuses an owner without a single credit: NO_CREDITS. */
export function requireCredits({ balance }: Pick<Standing, 'balance'>): void {
  assertThat(balance >= 1, 'NO_CREDITS')
}
