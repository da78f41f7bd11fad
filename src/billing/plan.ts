import type { Account } from './account.ts'
import type { Asked } from './billing-request.ts'
import type { When } from './gateways/gateway.ts'
import { isHigher, tierOf, type PaidTierName, type TierName } from './tiers.ts'

type Subscribed = Pick<Account, 'subscription' | 'subscriptionStatus' | 'tier' | 'nextTier'>

/** The tier of the month that is overdue: the present one, or a higher one that was to follow and has not been paid. */
export const overdueTierOf = ({ tier, nextTier }: Pick<Account, 'tier' | 'nextTier'>): TierName =>
  nextTier !== null && isHigher(nextTier, tier) ? nextTier : tier

/**
 * What has to be asked of the gateway next, so that an account comes to a tier; null if nothing has. What is overdue is
 * paid first, unless a lower tier takes its place. By default a higher tier begins at once, and a lower one when what was
 * paid for is over.
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
 * Whether the request may charge something, so that there has to be a card: not if what is credited is enough for a
 * whole month. What is overdue has used up the credit.
 */
export function mayCharge({ action, tier, at }: Asked, { creditCents }: Pick<Account, 'creditCents'>): boolean {
  if (action === 'pay_overdue') return true
  const isCharged = action === 'subscribe' || (action === 'change' && at === 'now')
  return isCharged && tier !== null && tierOf(tier).centsPerMonth > creditCents
}

/** Whether two requests ask for the same: then they are one. */
export const isSame = (one: Asked, other: Asked): boolean =>
  (['action', 'subscription', 'tier', 'at'] as const).every((field) => one[field] === other[field])
