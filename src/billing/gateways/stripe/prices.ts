import type { Stripe } from 'stripe'
import { isPaidTier, tierOf, type PaidTierName } from '../../tiers.ts'
import { CodedError } from '../../../errors.ts'
import { asking, isInvalid, translated } from './failures.ts'

/**
 * Stripe prices of the tiers. A price's lookup key names the tier and the amount, and the first user creates it, so
 * operators enter no tiers. A new amount in `tiers.ts` creates a new price; existing subscriptions keep theirs.
 */
export function createPrices(stripe: Stripe) {
  const tiers = new Map<string, PaidTierName | null>()
  const prices = new Map<PaidTierName, string>()

  /** Does work that needs the tier's price. If that price was archived meanwhile, repeats it with a new one. */
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

  /** Includes archived prices. */
  async function find(tier: PaidTierName): Promise<Stripe.Price | undefined> {
    const { data } = await asking(() => stripe.prices.list({ lookup_keys: [lookupKey(tier)], limit: 1 }))
    return data[0]
  }

  /** Creates a price, which takes the lookup key from an archived one. Concurrent calls get the same price. */
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

  /** We choose the id, so Stripe refuses a duplicate. */
  async function makeProduct(tier: PaidTierName): Promise<void> {
    try {
      await stripe.products.create({ id: productOf(tier), name: `Switchyard ${tier}`, metadata: { tier } })
    } catch (error) {
      if (isInvalid(error) && error.code === 'resource_already_exists') return
      await asking(() => Promise.reject(error as Error))
    }
  }

  /** The tier of a price; null for a foreign price. */
  async function tierFor(price: string): Promise<PaidTierName | null> {
    const known = tiers.get(price)
    if (known !== undefined) return known
    const { metadata } = await asking(() => stripe.prices.retrieve(price))
    const tier = metadata['tier'] ?? ''
    const found = isPaidTier(tier) ? tier : null
    tiers.set(price, found)
    return found
  }

  /** The same for a subscription, which must have one of our prices. */
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
