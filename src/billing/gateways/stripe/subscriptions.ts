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

/** So it is written in the version of the API that we use; the types are those of a later one. */
const now = 'now' as unknown as Stripe.SubscriptionUpdateParams.BillingCycleAnchor

/** Subscriptions of one price each. Stripe renews them, and tries again what is overdue, automatically. */
export function createSubscriptions(context: {
  stripe: Stripe
  customers: Customers
  prices: Prices
  purchases: Purchases
}) {
  const { stripe, customers, prices, purchases } = context
  const schedules = createSchedules(context)
  const unpaid = createUnpaidInvoices(context)

  /** Begins one. The key in its metadata is that of the request that was charged last: its invoices repeat it. */
  async function subscribe(wanted: { customer: string; tier: PaidTierName; key: string }): Promise<void> {
    const { customer, tier, key } = wanted
    const before = await livingOf(stripe, customer)
    if (before?.metadata['key'] === key) return
    // It is one that no look has seen yet.
    if (before) throw new CodedError('NOT_FOUND', { message: 'There is already another subscription.' })
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

  /** One that continues, or has ended; undefined if Stripe knows none. */
  async function retrieve(id: string): Promise<Stripe.Subscription | undefined> {
    try {
      return await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice.payments'] })
    } catch (error) {
      if (isMissing(error)) return undefined
      throw translated(error)
    }
  }

  /** The subscription that continues. NOT_FOUND if it has ended. */
  async function find(id: string): Promise<Stripe.Subscription> {
    const found = await retrieve(id)
    if (found && isLive(found)) return found
    throw new CodedError('NOT_FOUND', { message: 'The subscription has ended.' })
  }

  async function change(changed: { subscription: string; tier: PaidTierName; when: When; key: string }): Promise<void> {
    const { tier, key } = changed
    const found = await find(changed.subscription)
    const isSame = (await prices.tierOfSubscription(itemOf(found).price.id)) === tier
    // The period that was paid has ended already if the next month is to be charged still.
    const when = isAwaited(found) ? 'now' : changed.when
    // A change that was made before is not charged again, under whatever key; but it may have been left half done.
    if (isSame && !isUnpaid(found)) await unpaid.waive(found)
    if (!isSame && when === 'now') await changeNow(found, tier, key)
    await schedules.release(found)
    await keepFound(found)
    if (!isSame && when === 'period_end') await schedules.follow(found.id, tier)
  }

  /**
   * Begins a month of the other price. What is left of the month that was paid is credited; of one that was not paid, or paid
   * back, nothing is left, and it need not be paid any more.
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

  /** Whether something is left of its month: it was paid, and not paid back. */
  const isPaidFor = async (found: Stripe.Subscription): Promise<boolean> =>
    !isUnpaid(found) && !(await purchases.isPaidBack(found.latest_invoice))

  async function keepFound(found: Stripe.Subscription): Promise<void> {
    if (!found.cancel_at_period_end && found.cancel_at === null) return
    await asking(() => stripe.subscriptions.update(found.id, { cancel_at_period_end: false }))
  }

  async function cancel(id: string, when: When): Promise<void> {
    const found = await retrieve(id)
    if (!found) return
    // An earlier request may have been left half done.
    if (!isLive(found)) return unpaid.waive(found)
    await schedules.release(found)
    // The period that was paid has ended already if the present one was not paid.
    if (when === 'now' || isUnpaid(found)) await end(found)
    else await asking(() => stripe.subscriptions.update(id, { cancel_at_period_end: true }))
  }

  async function end(found: Stripe.Subscription): Promise<void> {
    const isPaid = await isPaidFor(found)
    try {
      await stripe.subscriptions.cancel(found.id, { prorate: isPaid, invoice_now: isPaid })
    } catch (error) {
      // Another request has ended it in the meantime.
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
