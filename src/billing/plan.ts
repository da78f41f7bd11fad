import type { Account } from './account.ts'
import type { Asked } from './billing-request.ts'
import type { When } from './gateways/gateway.ts'
import { isHigher, tierOf, type PaidTierName, type TierName } from './tiers.ts'

type Subscribed = Pick<Account, 'subscription' | 'subscriptionStatus' | 'tier' | 'nextTier'>

/** The tier of the overdue month: the current one, or a higher unpaid one that was to follow. */
export const overdueTierOf = ({ tier, nextTier }: Pick<Account, 'tier' | 'nextTier'>): TierName =>
  nextTier !== null && isHigher(nextTier, tier) ? nextTier : tier

/**
 * The next request to the gateway that brings an account to a tier; null if none is needed. Overdue amounts are paid
 * first, unless a lower tier replaces them. By default a higher tier starts now, and a lower one after the paid period.
 */
export function planFor(account: Subscribed, tier: PaidTierName, when?: When): Asked | null {
  const { subscription, subscriptionStatus, nextTier } = account
  if (subscription === null) return { action: 'subscribe', subscription, tier, at: null }
  if (subscriptionStatus === 'past_due') {
    const isInstead = when !== 'period_end' && isHigher(overdueTierOf(account), tier)
    if (isInstead) return { action: 'change', subscription, tier, at: 'now' }
    return { action: 'pay_overdue', subscription, tier: null, at: null }
  }
  if (tier === account.tier) return nextTier === null ? null : { action: 'keep', subscription, tier: null, at: null }
  const at = when ?? (isHigher(tier, account.tier) ? 'now' : 'period_end')
  if (at === 'period_end' && nextTier === tier) return null
  return { action: 'change', subscription, tier, at }
}

/**
 * Whether the request may charge a card. It does not if the credit covers a whole month. An overdue amount means that
 * the credit is used up.
 */
export function mayCharge({ action, tier, at }: Asked, { creditCents }: Pick<Account, 'creditCents'>): boolean {
  if (action === 'pay_overdue') return true
  const isCharged = action === 'subscribe' || (action === 'change' && at === 'now')
  return isCharged && tier !== null && tierOf(tier).centsPerMonth > creditCents
}

export const isSame = (one: Asked, other: Asked): boolean =>
  (['action', 'subscription', 'tier', 'at'] as const).every((field) => one[field] === other[field])
