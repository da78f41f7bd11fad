import type { Stripe } from 'stripe'
import { asking } from './failures.ts'

/** The state of a Stripe subscription. */

/** Whether it is live: not refused at the start, and not ended. */
export const isLive = ({ status }: Stripe.Subscription): boolean =>
  !['canceled', 'incomplete', 'incomplete_expired'].includes(status)

/** Whether Stripe has stopped collecting for it. Operators can choose this for the time after the last retry. */
export const isSuspended = ({ status }: Stripe.Subscription): boolean => status === 'unpaid' || status === 'paused'

/** Whether its last month is unpaid. */
export const isPastDue = (subscription: Stripe.Subscription): boolean =>
  subscription.status === 'past_due' || isSuspended(subscription)

/** Its only item: the price and the current period. */
export function itemOf({ id, items }: Stripe.Subscription): Stripe.SubscriptionItem {
  const [item] = items.data
  if (!item) throw new Error(`the subscription ${id} has no items`)
  return item
}

/**
 * The invoice of an automatically started month; undefined if the month was charged on request. Requires an expanded
 * invoice.
 */
function renewalOf({ latest_invoice: latest }: Stripe.Subscription): Stripe.Invoice | undefined {
  if (latest === null || typeof latest === 'string') return undefined
  return latest.billing_reason === 'subscription_cycle' ? latest : undefined
}

/** Whether its month has started but is not charged yet: a renewal's invoice is a draft for an hour. */
export function isAwaited(subscription: Stripe.Subscription): boolean {
  const status = renewalOf(subscription)?.status
  return !isPastDue(subscription) && (status === 'draft' || status === 'open')
}

/** Whether its month is unpaid, also through a voided invoice, so no value is left of it. */
export function isUnpaid(subscription: Stripe.Subscription): boolean {
  const renewal = renewalOf(subscription)
  return isPastDue(subscription) || (renewal !== undefined && renewal.status !== 'paid')
}

/** The end of the paid time. An overdue or uncharged month has started, but does not count. */
export function paidUntil(subscription: Stripe.Subscription): Date {
  const { current_period_start: start, current_period_end: end } = itemOf(subscription)
  return new Date((isPastDue(subscription) || isAwaited(subscription) ? start : end) * 1000)
}

/**
 * The customer's live subscription. There is at most one; if someone creates another in the dashboard, the newest
 * counts.
 */
export async function livingOf(stripe: Stripe, customer: string): Promise<Stripe.Subscription | undefined> {
  // Stripe omits ended subscriptions by default.
  const expand = ['data.schedule', 'data.latest_invoice']
  const { data } = await asking(() => stripe.subscriptions.list({ customer, limit: 100, expand }))
  return data.filter(isLive).toSorted((one, other) => other.created - one.created)[0]
}
