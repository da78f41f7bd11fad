import type { Stripe } from 'stripe'
import { asking } from './failures.ts'

/** How a subscription of Stripe stands, in the platform's words. */

/** Whether it continues. One that was refused at once, or has ended, does not. */
export const isLive = ({ status }: Stripe.Subscription): boolean =>
  !['canceled', 'incomplete', 'incomplete_expired'].includes(status)

/** Whether Stripe collects nothing for it any more, as an operator may choose to follow the last retry. */
export const isSuspended = ({ status }: Stripe.Subscription): boolean => status === 'unpaid' || status === 'paused'

/** Whether its last month is not paid. */
export const isPastDue = (subscription: Stripe.Subscription): boolean =>
  subscription.status === 'past_due' || isSuspended(subscription)

/** Its one item: the price, and the period that it is in. */
export function itemOf({ id, items }: Stripe.Subscription): Stripe.SubscriptionItem {
  const [item] = items.data
  if (!item) throw new Error(`the subscription ${id} has no items`)
  return item
}

/** The invoice of the month that has begun automatically; undefined if it was charged as it was asked for. Has to be expanded. */
function renewalOf({ latest_invoice: latest }: Stripe.Subscription): Stripe.Invoice | undefined {
  if (latest === null || typeof latest === 'string') return undefined
  return latest.billing_reason === 'subscription_cycle' ? latest : undefined
}

/** Whether its month has begun, but not been charged yet: the invoice of a renewal is a draft for an hour. */
export function isAwaited(subscription: Stripe.Subscription): boolean {
  const status = renewalOf(subscription)?.status
  return !isPastDue(subscription) && (status === 'draft' || status === 'open')
}

/** Whether nothing was paid for its month, so that nothing is left of it: also if somebody has voided the invoice. */
export function isUnpaid(subscription: Stripe.Subscription): boolean {
  const renewal = renewalOf(subscription)
  return isPastDue(subscription) || (renewal !== undefined && renewal.status !== 'paid')
}

/** Until when it is paid: a month that is overdue, or to be charged, has begun, but does not count. */
export function paidUntil(subscription: Stripe.Subscription): Date {
  const { current_period_start: start, current_period_end: end } = itemOf(subscription)
  return new Date((isPastDue(subscription) || isAwaited(subscription) ? start : end) * 1000)
}

/** The customer's subscription that continues. There is one at most; if somebody has made another in the dashboard, the newest. */
export async function livingOf(stripe: Stripe, customer: string): Promise<Stripe.Subscription | undefined> {
  // Those that have ended are left out by default.
  const expand = ['data.schedule', 'data.latest_invoice']
  const { data } = await asking(() => stripe.subscriptions.list({ customer, limit: 100, expand }))
  return data.filter(isLive).toSorted((one, other) => other.created - one.created)[0]
}
