import type { Stripe } from 'stripe'
import { isPaidTier, tierOf, type PaidTierName } from '../../tiers.ts'
import { CodedError } from '../../../errors.ts'
import { asking, isInvalid } from './failures.ts'

/**
 * What tiers cost, as prices of Stripe. A price is found by its lookup key, which names the tier and the amount, and is
 * made by the first who needs it: nobody has to enter tiers there, and another amount in `tiers.ts` is another price,
 * while subscriptions keep theirs.
 */
export function createPrices(stripe: Stripe) {
  const tiers = new Map<string, PaidTierName | null>()
  const prices = new Map<PaidTierName, string>()

  /** The price of the tier. */
  async function priceOf(tier: PaidTierName): Promise<string> {
    const known = prices.get(tier)
    if (known !== undefined) return known
    const price = (await find(tier)) ?? (await make(tier))
    prices.set(tier, price)
    return price
  }

  async function find(tier: PaidTierName): Promise<string | undefined> {
    const { data } = await asking(() => stripe.prices.list({ lookup_keys: [lookupKey(tier)], active: true, limit: 1 }))
    return data[0]?.id
  }

  async function make(tier: PaidTierName): Promise<string> {
    await makeProduct(tier)
    const wanted = {
      product: productOf(tier),
      currency: 'usd',
      unit_amount: tierOf(tier).centsPerMonth,
      recurring: { interval: 'month' as const },
      lookup_key: lookupKey(tier),
      metadata: { tier },
    }
    try {
      return (await stripe.prices.create(wanted, { idempotencyKey: `price-${lookupKey(tier)}` })).id
    } catch (error) {
      // Another process was first.
      const found = isInvalid(error) ? await find(tier) : undefined
      return found ?? asking(() => Promise.reject(error as Error))
    }
  }

  /** Its id is ours, so that a second one is refused. */
  async function makeProduct(tier: PaidTierName): Promise<void> {
    try {
      await stripe.products.create({ id: productOf(tier), name: `Switchyard ${tier}`, metadata: { tier } })
    } catch (error) {
      if (isInvalid(error) && error.code === 'resource_already_exists') return
      await asking(() => Promise.reject(error as Error))
    }
  }

  /** The tier that a price is for; null for a price that is none of ours. */
  async function tierFor(price: string): Promise<PaidTierName | null> {
    const known = tiers.get(price)
    if (known !== undefined) return known
    const { metadata } = await asking(() => stripe.prices.retrieve(price))
    const tier = metadata['tier'] ?? ''
    const found = isPaidTier(tier) ? tier : null
    tiers.set(price, found)
    return found
  }

  /** The same of a subscription, which has to be one of ours. */
  async function tierOfSubscription(price: string): Promise<PaidTierName> {
    const tier = await tierFor(price)
    if (tier !== null) return tier
    tiers.delete(price)
    const privateDetail = `Stripe: the price ${price} of a subscription has no tier in its metadata`
    throw new CodedError('INTERNAL_ERROR', { privateDetail })
  }

  return { priceOf, tierFor, tierOfSubscription }
}

export type Prices = ReturnType<typeof createPrices>

const productOf = (tier: PaidTierName): string => `switchyard_${tier}`
const lookupKey = (tier: PaidTierName): string => `switchyard_${tier}_usd_${tierOf(tier).centsPerMonth}`
