import type { Stripe } from 'stripe'
import { CodedError } from '../../../errors.ts'
import type { PaidTierName } from '../../tiers.ts'
import { idOf } from './customers.ts'
import { asking, isInvalid } from './failures.ts'
import type { Prices } from './prices.ts'
import { itemOf } from './subscription.ts'

/**
 * Changes at the end of a period, as Stripe schedules with two phases. The schedule releases the subscription when the
 * second phase starts. Until then the paid tier stays, also in Stripe's own reports.
 */
export function createSchedules({ stripe, prices }: { stripe: Stripe; prices: Prices }) {
  /** Schedules a tier for the next period. */
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

  /** Cancels the scheduled change. The subscription continues unchanged. */
  async function release({ schedule }: Stripe.Subscription): Promise<void> {
    const id = idOf(schedule)
    if (id === null) return
    try {
      await stripe.subscriptionSchedules.release(id)
    } catch (error) {
      // It is already released or completed.
      if (!isInvalid(error)) await asking(() => Promise.reject(error as Error))
    }
  }

  return { follow, release }
}

/** The scheduled price of the next period; null if it does not change. */
export function nextPriceOf(subscription: Stripe.Subscription): string | null {
  const { schedule } = subscription
  if (schedule === null || typeof schedule === 'string') return null
  const { current_period_end: end, price } = itemOf(subscription)
  const next = schedule.phases.find((phase) => phase.start_date >= end)
  const following = idOf(next?.items[0]?.price)
  return following === price.id ? null : following
}
