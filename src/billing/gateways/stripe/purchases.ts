import type { Stripe } from 'stripe'
import { later, type Clock } from '../../../clock.ts'
import { CodedError } from '../../../errors.ts'
import type { Charge, GatewayPayment } from '../gateway.ts'
import { idOf, type Customers } from './customers.ts'
import { intentsIn } from './invoices.ts'
import { asking, isInvalid, isKeyReused, paymentFailed, refusalOf, translated } from './failures.ts'

/** Payments of credits: PaymentIntents that carry the id of the platform's payment, and are confirmed as they are made. */
export function createPurchases({ stripe, customers, clock }: { stripe: Stripe; customers: Customers; clock: Clock }) {
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
      // Another card may be the default since the first request, which was performed then.
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

  /** The customer's PaymentIntents, those of invoices among them, the newest first. */
  async function intentsOf(customer: string, since?: number): Promise<Stripe.PaymentIntent[]> {
    const range = since !== undefined && { created: { gte: since } }
    const wanted = { customer, limit: 100, expand: ['data.latest_charge'], ...range }
    const found = await asking(() => stripe.paymentIntents.list(wanted).autoPagingToArray({ limit: most }))
    const intents: Stripe.PaymentIntent[] = []
    for (const intent of found) intents.push(isAbandoned(intent) ? await cancelled(intent) : await settled(intent))
    return intents
  }

  /** A dispute that was lost has paid everything back. */
  async function settled(intent: Stripe.PaymentIntent): Promise<Stripe.PaymentIntent> {
    const { latest_charge: charge } = intent
    if (charge === null || typeof charge === 'string' || !charge.disputed || charge.refunded) return intent
    const { data } = await asking(() => stripe.disputes.list({ payment_intent: intent.id, limit: 100 }))
    if (!data.some(({ status }) => status === 'lost')) return intent
    return { ...intent, latest_charge: { ...charge, refunded: true } }
  }

  /** Whether what an invoice was paid with has been paid back. Its payments have to be expanded. */
  async function isPaidBack(invoice: Stripe.Invoice | string | null): Promise<boolean> {
    const ids = invoice === null || typeof invoice === 'string' ? [] : intentsIn(invoice)
    for (const id of ids) {
      const found = await asking(() => stripe.paymentIntents.retrieve(id, { expand: ['latest_charge'] }))
      if (isRefunded(await settled(found))) return true
    }
    return false
  }

  /** Whether Stripe has broken off before it asked the bank. What has just been made is being charged. */
  const isAbandoned = ({ status, created, metadata }: Stripe.PaymentIntent): boolean =>
    status === 'requires_confirmation' &&
    metadata['payment'] !== undefined &&
    later(new Date(created * 1000), abandonedAfter) < clock.now()

  /** Makes sure that nobody confirms it any more. */
  async function cancelled(intent: Stripe.PaymentIntent): Promise<Stripe.PaymentIntent> {
    try {
      return await stripe.paymentIntents.cancel(intent.id)
    } catch (error) {
      // It became another in the meantime: the next look sees which.
      if (isInvalid(error)) return intent
      return asking(() => Promise.reject(error as Error))
    }
  }

  return { pay, intentsOf, isPaidBack }
}

export type Purchases = ReturnType<typeof createPurchases>

/** Bounds what one account can make the platform read: a thousand payments. */
const most = 1000

/** After so many seconds, what was not confirmed never is. */
const abandonedAfter = 600

const refused = 'The payment provider rejected this payment.'

/** The payment of the platform that a PaymentIntent is for; undefined for one of an invoice. */
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
