import type { Stripe } from 'stripe'
import { asking } from './failures.ts'

/** How a subscription of Stripe stands, in the platform's words. */

/** Whether it goes on. One that was refused at once, or has ended, does not. */
export const isLive = ({ status }: Stripe.Subscription): boolean =>
  !['canceled', 'incomplete', 'incomplete_expired'].includes(status)

/** Whether its last month is not paid. `unpaid` and `paused` are what an operator may choose to follow the last retry. */
export const isPastDue = ({ status }: Stripe.Subscription): boolean =>
  status === 'past_due' || status === 'unpaid' || status === 'paused'

/** Its one item: the price, and the period that it is in. */
export function itemOf({ id, items }: Stripe.Subscription): Stripe.SubscriptionItem {
  const [item] = items.data
  if (!item) throw new Error(`the subscription ${id} has no items`)
  return item
}

/** Until when it is paid: an overdue month has begun, but does not count. */
export function paidUntil(subscription: Stripe.Subscription): Date {
  const { current_period_start: start, current_period_end: end } = itemOf(subscription)
  return new Date((isPastDue(subscription) ? start : end) * 1000)
}

/** The customer's subscription that goes on. There is one at most; if somebody has made another in the dashboard, the newest. */
export async function livingOf(stripe: Stripe, customer: string): Promise<Stripe.Subscription | undefined> {
  // Those that have ended are left out by default.
  const { data } = await asking(() => stripe.subscriptions.list({ customer, limit: 100, expand: ['data.schedule'] }))
  return data.filter(isLive).toSorted((one, other) => other.created - one.created)[0]
}
