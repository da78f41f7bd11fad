import type { Stripe } from 'stripe'
import { CodedError } from '../../../errors.ts'
import { tierOf, type PaidTierName } from '../../tiers.ts'
import type { When } from '../gateway.ts'
import { idOf, type Customers } from './customers.ts'
import { asking, isMissing, translated } from './failures.ts'
import { createSchedules } from './schedules.ts'
import { isAwaited, isLive, isUnpaid, itemOf, livingOf } from './subscription.ts'
import { createUnpaidInvoices } from './unpaid-invoices.ts'
import type { Prices } from './prices.ts'
import type { Purchases } from './purchases.ts'

/** The value in our API version; the package's types are for a later one. */
const now = 'now' as unknown as Stripe.SubscriptionUpdateParams.BillingCycleAnchor

/** Subscriptions with one price each. Stripe renews them and retries overdue payments automatically. */
export function createSubscriptions(context: {
  stripe: Stripe
  customers: Customers
  prices: Prices
  purchases: Purchases
}) {
  const { stripe, customers, prices, purchases } = context
  const schedules = createSchedules(context)
  const unpaid = createUnpaidInvoices(context)

  /** Starts a subscription. Its metadata has the key of the last charged request, and its invoices repeat that. */
  async function subscribe(wanted: { customer: string; tier: PaidTierName; key: string }): Promise<void> {
    const { customer, tier, key } = wanted
    const before = await livingOf(stripe, customer)
    if (before?.metadata['key'] === key) return
    // A subscription that no poll has seen yet.
    if (before) throw new CodedError('NOT_FOUND', { message: 'This account already has a subscription.' })
    await customers.assertPayable(customer, tierOf(tier).centsPerMonth)
    const asked = {
      customer,
      payment_behavior: 'error_if_incomplete' as const,
      off_session: true,
      metadata: { key },
    }
    await prices.withPrice(tier, (price) =>
      stripe.subscriptions.create({ ...asked, items: [{ price }] }, { idempotencyKey: `subscribe-${key}-${price}` }),
    )
  }

  /** A live or ended subscription; undefined if Stripe knows none. */
  async function retrieve(id: string): Promise<Stripe.Subscription | undefined> {
    try {
      return await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice.payments'] })
    } catch (error) {
      if (isMissing(error)) return undefined
      throw translated(error)
    }
  }

  /** The live subscription. NOT_FOUND if it has ended. */
  async function find(id: string): Promise<Stripe.Subscription> {
    const found = await retrieve(id)
    if (found && isLive(found)) return found
    throw new CodedError('NOT_FOUND', { message: 'The subscription has ended.' })
  }

  async function change(changed: { subscription: string; tier: PaidTierName; when: When; key: string }): Promise<void> {
    const { tier, key } = changed
    const found = await find(changed.subscription)
    const isSame = (await prices.tierOfSubscription(itemOf(found).price.id)) === tier
    // If the next month is still uncharged, the paid period has already ended.
    const when = isAwaited(found) ? 'now' : changed.when
    // A completed change is not charged again under any key, but may be half done.
    if (isSame && !isUnpaid(found)) await unpaid.waive(found)
    if (!isSame && when === 'now') await changeNow(found, tier, key)
    await schedules.release(found)
    await keepFound(found)
    if (!isSame && when === 'period_end') await schedules.follow(found.id, tier)
  }

  /**
   * Starts a month of the other price. Credits the rest of a paid month. An unpaid or refunded month has no value left
   * and no longer needs payment.
   */
  async function changeNow(found: Stripe.Subscription, tier: PaidTierName, key: string): Promise<void> {
    const isPaid = await isPaidFor(found)
    await customers.assertPayable(idOf(found.customer)!, tierOf(tier).centsPerMonth)
    const asked = {
      billing_cycle_anchor: now,
      proration_behavior: isPaid ? ('always_invoice' as const) : ('none' as const),
      payment_behavior: 'error_if_incomplete' as const,
      off_session: true,
      metadata: { key },
    }
    const item = itemOf(found).id
    const changed = await prices.withPrice(tier, (price) =>
      stripe.subscriptions.update(
        found.id,
        { ...asked, items: [{ id: item, price }] },
        { idempotencyKey: `change-${key}-${price}` },
      ),
    )
    if (!isPaid) await unpaid.waive(changed)
  }

  /** Whether its month has value left: paid and not refunded. */
  const isPaidFor = async (found: Stripe.Subscription): Promise<boolean> =>
    !isUnpaid(found) && !(await purchases.isPaidBack(found.latest_invoice))

  async function keepFound(found: Stripe.Subscription): Promise<void> {
    if (!found.cancel_at_period_end && found.cancel_at === null) return
    await asking(() => stripe.subscriptions.update(found.id, { cancel_at_period_end: false }))
  }

  async function cancel(id: string, when: When): Promise<void> {
    const found = await retrieve(id)
    if (!found) return
    // An earlier request may be half done.
    if (!isLive(found)) return unpaid.waive(found)
    await schedules.release(found)
    // If the current period is unpaid, the paid period has already ended.
    if (when === 'now' || isUnpaid(found)) await end(found)
    else await asking(() => stripe.subscriptions.update(id, { cancel_at_period_end: true }))
  }

  async function end(found: Stripe.Subscription): Promise<void> {
    const isPaid = await isPaidFor(found)
    try {
      await stripe.subscriptions.cancel(found.id, { prorate: isPaid, invoice_now: isPaid })
    } catch (error) {
      // Another request has ended it meanwhile.
      if (!isMissing(error)) throw translated(error)
    }
    if (!isPaid) await unpaid.waive({ ...found, status: 'canceled' })
  }

  async function keep(id: string): Promise<void> {
    const found = await find(id)
    await schedules.release(found)
    await keepFound(found)
  }

  const payOverdue = async (id: string, key: string): Promise<void> => unpaid.pay(await find(id), key)

  return { subscribe, change, cancel, keep, payOverdue }
}
