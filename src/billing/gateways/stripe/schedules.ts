import type { Stripe } from 'stripe'
import { CodedError } from '../../../errors.ts'
import type { PaidTierName } from '../../tiers.ts'
import { idOf } from './customers.ts'
import { asking, isInvalid } from './failures.ts'
import type { Prices } from './prices.ts'
import { itemOf } from './subscription.ts'

/**
 * Changes at the end of a period. Stripe makes them by a schedule of two phases, which leaves the subscription alone once
 * the second one has begun. So what is paid for stays as it is until then, also in Stripe's own reports.
 */
export function createSchedules({ stripe, prices }: { stripe: Stripe; prices: Prices }) {
  /** Lets a tier follow the one of the present period. */
  async function follow(subscription: string, tier: PaidTierName): Promise<void> {
    const schedule = await asking(() => stripe.subscriptionSchedules.create({ from_subscription: subscription }))
    const [present] = schedule.phases
    const [item] = present?.items ?? []
    if (!present || !item) throw new CodedError('INTERNAL_ERROR', { privateDetail: `Stripe: ${schedule.id} is empty` })
    const { start_date, end_date } = present
    const none = { proration_behavior: 'none' as const }
    const first = { items: [{ price: idOf(item.price)!, quantity: 1 }], start_date, end_date, ...none }
    const duration = { interval: 'month' as const, interval_count: 1 }
    await prices.withPrice(tier, (price) =>
      stripe.subscriptionSchedules.update(schedule.id, {
        end_behavior: 'release',
        phases: [first, { items: [{ price, quantity: 1 }], duration, ...none }],
        ...none,
      }),
    )
  }

  /** Takes back what was to follow. The subscription continues as it is. */
  async function release({ schedule }: Stripe.Subscription): Promise<void> {
    const id = idOf(schedule)
    if (id === null) return
    try {
      await stripe.subscriptionSchedules.release(id)
    } catch (error) {
      // It is released already, or has come to its end.
      if (!isInvalid(error)) await asking(() => Promise.reject(error as Error))
    }
  }

  return { follow, release }
}

/** The price that follows the present period by a schedule; null if the same does. */
export function nextPriceOf(subscription: Stripe.Subscription): string | null {
  const { schedule } = subscription
  if (schedule === null || typeof schedule === 'string') return null
  const { current_period_end: end, price } = itemOf(subscription)
  const next = schedule.phases.find((phase) => phase.start_date >= end)
  const following = idOf(next?.items[0]?.price)
  return following === price.id ? null : following
}
