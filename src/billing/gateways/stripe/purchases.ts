import type { Stripe } from 'stripe'
import type { Charge, GatewayPayment } from '../gateway.ts'
import { idOf, type Customers } from './customers.ts'
import { asking, isKeyReused, paymentFailed, refusalOf, translated } from './failures.ts'

/** Payments of credits: PaymentIntents that carry the id of the platform's payment, and are confirmed as they are made. */
export function createPurchases({ stripe, customers }: { stripe: Stripe; customers: Customers }) {
  /**
   * Charges once for a key. Stripe forgets idempotency keys after a day, so what was made under the key is looked for
   * first, among the customer's own payments.
   */
  async function pay(charge: Charge): Promise<GatewayPayment> {
    const before = await find(charge)
    const paid = before ?? (await create(charge))
    if (paid.status === 'failed') throw paymentFailed(paid.failure ?? 'The card was declined.')
    return paid
  }

  async function create(charge: Charge): Promise<GatewayPayment> {
    const { customer, cents, key } = charge
    const wanted = {
      customer,
      amount: cents,
      currency: 'usd',
      payment_method: await customers.cardOf(customer),
      payment_method_types: ['card'],
      confirm: true,
      off_session: true,
      metadata: { payment: key },
      expand: ['latest_charge'],
    }
    try {
      return purchaseOf(await stripe.paymentIntents.create(wanted, { idempotencyKey: `pay-${key}` }))!
    } catch (error) {
      // Another card is the default since the first request, which was performed.
      const made = isKeyReused(error) ? await find(charge) : undefined
      if (made) return made
      throw translated(error)
    }
  }

  async function find({ customer, key }: Charge): Promise<GatewayPayment | undefined> {
    const intents = await intentsOf(stripe, customer)
    return intents.map((intent) => purchaseOf(intent)).find((payment) => payment?.key === key)
  }

  return { pay }
}

/** Bounds what one account can make the platform read: a thousand payments. */
const most = 1000

/** The customer's PaymentIntents, those of invoices among them, the newest first. */
export const intentsOf = (stripe: Stripe, customer: string, since?: number): Promise<Stripe.PaymentIntent[]> =>
  asking(() =>
    stripe.paymentIntents
      .list({
        customer,
        limit: 100,
        expand: ['data.latest_charge'],
        ...(since !== undefined && { created: { gte: since } }),
      })
      .autoPagingToArray({ limit: most }),
  )

/** The payment of the platform that a PaymentIntent is for; undefined for one of an invoice. */
export function purchaseOf(intent: Stripe.PaymentIntent): GatewayPayment | undefined {
  const { payment: key } = intent.metadata
  if (key === undefined) return undefined
  const status = isRefunded(intent) ? 'refunded' : (statuses[intent.status] ?? 'pending')
  const failure = status === 'failed' ? refusalOf(intent.last_payment_error) : null
  const createdAt = new Date(intent.created * 1000)
  return { reference: intent.id, key, cents: intent.amount, status, tier: null, failure, createdAt }
}

/** A PaymentIntent that was refused waits for another card, which it never gets: the platform begins a new one. */
const statuses: Record<string, 'paid' | 'failed'> = {
  succeeded: 'paid',
  requires_payment_method: 'failed',
  requires_action: 'failed',
  canceled: 'failed',
}

/** Whether all of it was paid back. A part that was paid back changes nothing here. */
export const isRefunded = ({ latest_charge: charge }: Stripe.PaymentIntent): boolean =>
  charge !== null && typeof charge === 'object' && idOf(charge) !== null && charge.refunded
