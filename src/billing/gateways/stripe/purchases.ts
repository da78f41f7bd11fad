import type { Stripe } from 'stripe'
import { later, type Clock } from '../../../clock.ts'
import { CodedError } from '../../../errors.ts'
import type { Charge, GatewayPayment } from '../gateway.ts'
import { idOf, type Customers } from './customers.ts'
import { intentsIn } from './invoices.ts'
import { asking, isInvalid, isKeyReused, paymentFailed, refusalOf, translated } from './failures.ts'

/** Credit purchases: PaymentIntents with the id of the platform's payment, confirmed on creation. */
export function createPurchases({ stripe, customers, clock }: { stripe: Stripe; customers: Customers; clock: Clock }) {
  /**
   * Charges once per key. Stripe forgets idempotency keys after a day, so this first searches the customer's own
   * payments for the key.
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
      // The default card may have changed since the first request, which was performed.
      const made = isKeyReused(error) || isInvalid(error) ? await find(charge) : undefined
      if (made) return made
      if (isInvalid(error)) throw new CodedError('PAYMENT_FAILED', { message: refused })
      throw translated(error)
    }
  }

  async function find({ customer, key }: Charge): Promise<GatewayPayment | undefined> {
    const intents = await intentsOf(customer)
    return intents.map((intent) => purchaseOf(intent)).find((payment) => payment?.key === key)
  }

  /** The customer's PaymentIntents, including those of invoices, newest first. */
  async function intentsOf(customer: string, since?: number): Promise<Stripe.PaymentIntent[]> {
    const range = since !== undefined && { created: { gte: since } }
    const wanted = { customer, limit: 100, expand: ['data.latest_charge'], ...range }
    const found = await asking(() => stripe.paymentIntents.list(wanted).autoPagingToArray({ limit: most }))
    const intents: Stripe.PaymentIntent[] = []
    for (const intent of found) intents.push(isAbandoned(intent) ? await cancelled(intent) : await settled(intent))
    return intents
  }

  /** A lost dispute counts as a full refund. */
  async function settled(intent: Stripe.PaymentIntent): Promise<Stripe.PaymentIntent> {
    const { latest_charge: charge } = intent
    if (charge === null || typeof charge === 'string' || !charge.disputed || charge.refunded) return intent
    const { data } = await asking(() => stripe.disputes.list({ payment_intent: intent.id, limit: 100 }))
    if (!data.some(({ status }) => status === 'lost')) return intent
    return { ...intent, latest_charge: { ...charge, refunded: true } }
  }

  /** Whether the payment of an invoice was refunded. Requires expanded payments. */
  async function isPaidBack(invoice: Stripe.Invoice | string | null): Promise<boolean> {
    const ids = invoice === null || typeof invoice === 'string' ? [] : intentsIn(invoice)
    for (const id of ids) {
      const found = await asking(() => stripe.paymentIntents.retrieve(id, { expand: ['latest_charge'] }))
      if (isRefunded(await settled(found))) return true
    }
    return false
  }

  /** Whether Stripe stopped before it contacted the bank. A new PaymentIntent is still being charged. */
  const isAbandoned = ({ status, created, metadata }: Stripe.PaymentIntent): boolean =>
    status === 'requires_confirmation' &&
    metadata['payment'] !== undefined &&
    later(new Date(created * 1000), abandonedAfter) < clock.now()

  /** Cancels it, so that it can no longer be confirmed. */
  async function cancelled(intent: Stripe.PaymentIntent): Promise<Stripe.PaymentIntent> {
    try {
      return await stripe.paymentIntents.cancel(intent.id)
    } catch (error) {
      // Its status has changed meanwhile; the next poll reads it.
      if (isInvalid(error)) return intent
      return asking(() => Promise.reject(error as Error))
    }
  }

  return { pay, intentsOf, isPaidBack }
}

export type Purchases = ReturnType<typeof createPurchases>

/** The most payments that the platform reads for one account. */
const most = 1000

/** An unconfirmed PaymentIntent counts as abandoned after this many seconds. */
const abandonedAfter = 600

const refused = 'The payment provider rejected this payment.'

/** The platform's payment of a PaymentIntent; undefined for an invoice's. */
export function purchaseOf(intent: Stripe.PaymentIntent): GatewayPayment | undefined {
  const { payment: key } = intent.metadata
  if (key === undefined) return undefined
  const status = isRefunded(intent) ? 'refunded' : (statuses[intent.status] ?? 'pending')
  const failure = status === 'failed' ? failureOf(intent) : null
  const createdAt = new Date(intent.created * 1000)
  const none = { tier: null, left: null, fromCreditCents: 0 }
  return { reference: intent.id, key, cents: intent.amount, status, failure, createdAt, ...none }
}

const failureOf = ({ status, last_payment_error: error }: Stripe.PaymentIntent): string =>
  status === 'canceled' && error === null ? 'The payment was cancelled.' : refusalOf(error)

/** A refused PaymentIntent waits for another card, which never comes: the platform creates a new one. */
const statuses: Record<string, 'paid' | 'failed'> = {
  succeeded: 'paid',
  requires_payment_method: 'failed',
  requires_action: 'failed',
  canceled: 'failed',
}

/** Whether it was fully refunded. A partial refund changes nothing here. */
export const isRefunded = ({ latest_charge: charge }: Stripe.PaymentIntent): boolean =>
  charge !== null && typeof charge === 'object' && idOf(charge) !== null && charge.refunded
