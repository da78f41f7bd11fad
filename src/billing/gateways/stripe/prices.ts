import type { Stripe } from 'stripe'
import { isPaidTier, tierOf, type PaidTierName } from '../../tiers.ts'
import { CodedError } from '../../../errors.ts'
import { asking, isInvalid, translated } from './failures.ts'

/**
 * What tiers cost, as prices of Stripe. A price is found by its lookup key, which names the tier and the amount, and is
 * made by the first who needs it: nobody has to enter tiers there, and another amount in `tiers.ts` is another price,
 * while subscriptions keep theirs.
 */
export function createPrices(stripe: Stripe) {
  const tiers = new Map<string, PaidTierName | null>()
  const prices = new Map<PaidTierName, string>()

  /**
   * Does what needs the price of the tier. The price may have been archived since it was found: then it is done with
   * another one.
   */
  async function withPrice<T>(tier: PaidTierName, work: (price: string) => Promise<T>): Promise<T> {
    const price = await priceOf(tier)
    try {
      return await work(price)
    } catch (error) {
      if (!isInvalid(error)) throw translated(error)
      prices.delete(tier)
      const other = await priceOf(tier)
      if (other === price) throw translated(error)
      return asking(() => work(other))
    }
  }

  async function priceOf(tier: PaidTierName): Promise<string> {
    const known = prices.get(tier)
    if (known !== undefined) return known
    const found = await find(tier)
    const price = found?.active === true ? found.id : await make(tier, found?.id)
    prices.set(tier, price)
    return price
  }

  /** Also one that was archived. */
  async function find(tier: PaidTierName): Promise<Stripe.Price | undefined> {
    const { data } = await asking(() => stripe.prices.list({ lookup_keys: [lookupKey(tier)], limit: 1 }))
    return data[0]
  }

  /** Makes one, which takes the lookup key over from one that was archived. Whoever else does so gets the same. */
  async function make(tier: PaidTierName, archived = 'none'): Promise<string> {
    await makeProduct(tier)
    const wanted = {
      product: productOf(tier),
      currency: 'usd',
      unit_amount: tierOf(tier).centsPerMonth,
      recurring: { interval: 'month' as const },
      lookup_key: lookupKey(tier),
      transfer_lookup_key: true,
      metadata: { tier },
    }
    const idempotencyKey = `price-${lookupKey(tier)}-${archived}`
    return (await asking(() => stripe.prices.create(wanted, { idempotencyKey }))).id
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

  return { withPrice, tierFor, tierOfSubscription }
}

export type Prices = ReturnType<typeof createPrices>

const productOf = (tier: PaidTierName): string => `switchyard_${tier}`
const lookupKey = (tier: PaidTierName): string => `switchyard_${tier}_usd_${tierOf(tier).centsPerMonth}`
