import type { Stripe } from 'stripe'
import { CodedError } from '../../../errors.ts'
import type { PaidTierName } from '../../tiers.ts'
import type { When } from '../gateway.ts'
import { idOf, type Customers } from './customers.ts'
import { asking, isInvalid, isMissing, translated } from './failures.ts'
import { createSchedules } from './schedules.ts'
import { isLive, itemOf, isPastDue, livingOf } from './subscription.ts'
import type { Prices } from './prices.ts'

/** So it is written in the version of the API that we use; the types are those of a later one. */
const now = 'now' as unknown as Stripe.SubscriptionUpdateParams.BillingCycleAnchor

/** Subscriptions of one price each. Stripe renews them, and tries again what is overdue, by itself. */
export function createSubscriptions(context: { stripe: Stripe; customers: Customers; prices: Prices }) {
  const { stripe, customers, prices } = context
  const schedules = createSchedules(context)

  /** Begins one. The key in its metadata is that of the request that was charged last: its invoices repeat it. */
  async function subscribe(wanted: { customer: string; tier: PaidTierName; key: string }): Promise<void> {
    const { customer, tier, key } = wanted
    const before = await livingOf(stripe, customer)
    if (before?.metadata['key'] === key) return
    if (before) throw new CodedError('INTERNAL_ERROR', { privateDetail: `Stripe: ${before.id} goes on already` })
    await customers.cardOf(customer)
    const price = await prices.priceOf(tier)
    const asked = {
      customer,
      items: [{ price }],
      payment_behavior: 'error_if_incomplete' as const,
      off_session: true,
      metadata: { key },
    }
    await asking(() => stripe.subscriptions.create(asked, { idempotencyKey: `subscribe-${key}` }))
  }

  /** The subscription that goes on. NOT_FOUND if it has ended. */
  async function find(id: string): Promise<Stripe.Subscription> {
    try {
      const found = await stripe.subscriptions.retrieve(id)
      if (isLive(found)) return found
    } catch (error) {
      if (!isMissing(error)) throw translated(error)
    }
    throw new CodedError('NOT_FOUND', { message: 'The subscription has ended.' })
  }

  async function change(changed: { subscription: string; tier: PaidTierName; when: When; key: string }): Promise<void> {
    const { tier, when, key } = changed
    const found = await find(changed.subscription)
    const price = await prices.priceOf(tier)
    const isSame = (await prices.tierOfSubscription(itemOf(found).price.id)) === tier
    // A change that was made before is not charged again, under whatever key.
    if (!isSame && when === 'now') await changeNow(found, price, key)
    await schedules.release(found)
    await keepFound(found)
    if (!isSame && when === 'period_end') await schedules.follow(found.id, price)
  }

  /**
   * Begins a month of the other price. What is left of the month that was paid is credited; a month that is overdue was
   * not paid, so nothing is left of it, and it need not be paid any more.
   */
  async function changeNow(found: Stripe.Subscription, price: string, key: string): Promise<void> {
    const isOverdue = isPastDue(found)
    if (!isOverdue) await customers.cardOf(idOf(found.customer)!)
    const asked = {
      items: [{ id: itemOf(found).id, price }],
      billing_cycle_anchor: now,
      proration_behavior: isOverdue ? ('none' as const) : ('always_invoice' as const),
      payment_behavior: 'error_if_incomplete' as const,
      off_session: true,
      metadata: { key },
    }
    await asking(() => stripe.subscriptions.update(found.id, asked, { idempotencyKey: `change-${key}` }))
    if (isOverdue) await waive(found)
  }

  async function keepFound(found: Stripe.Subscription): Promise<void> {
    if (!found.cancel_at_period_end && found.cancel_at === null) return
    await asking(() => stripe.subscriptions.update(found.id, { cancel_at_period_end: false }))
  }

  async function cancel(id: string, when: When): Promise<void> {
    const found = await find(id).catch((error: unknown) => {
      if (error instanceof CodedError && error.code === 'NOT_FOUND') return undefined
      throw error
    })
    if (!found) return
    await schedules.release(found)
    if (when === 'now' || isPastDue(found)) await end(found)
    else await asking(() => stripe.subscriptions.update(id, { cancel_at_period_end: true }))
  }

  async function end(found: Stripe.Subscription): Promise<void> {
    const isOverdue = isPastDue(found)
    try {
      await stripe.subscriptions.cancel(found.id, { prorate: !isOverdue, invoice_now: !isOverdue })
    } catch (error) {
      // An earlier request, whose answer was lost, has ended it.
      if (!isMissing(error)) throw translated(error)
    }
    if (isOverdue) await waive(found)
  }

  /** Voids what is overdue, so that nobody pays for a month that is not given. */
  async function waive({ latest_invoice: latest }: Stripe.Subscription): Promise<void> {
    const id = idOf(latest)
    if (id === null) return
    const { status } = await asking(() => stripe.invoices.retrieve(id))
    if (status === 'open') await asking(() => stripe.invoices.voidInvoice(id))
  }

  async function keep(id: string): Promise<void> {
    const found = await find(id)
    await schedules.release(found)
    await keepFound(found)
  }

  async function payOverdue(id: string, key: string): Promise<void> {
    const { latest_invoice: latest, customer } = await find(id)
    const invoice = idOf(latest)
    if (invoice === null) return
    const { status } = await asking(() => stripe.invoices.retrieve(invoice))
    if (status !== 'open') return
    await customers.cardOf(idOf(customer)!)
    try {
      await stripe.invoices.pay(invoice, { off_session: true }, { idempotencyKey: `overdue-${key}` })
    } catch (error) {
      // Stripe's own retry was first.
      const now = isInvalid(error) ? await asking(() => stripe.invoices.retrieve(invoice)) : undefined
      if (now?.status !== 'paid') throw translated(error)
    }
  }

  return { subscribe, change, cancel, keep, payOverdue }
}
