import type { Stripe } from 'stripe'
import { later, type Clock } from '../../../clock.ts'
import type { GatewayPayment, GatewayState, GatewaySubscription, LeftMonth } from '../gateway.ts'
import { idOf } from './customers.ts'
import { asking, refusalOf } from './failures.ts'
import type { Prices } from './prices.ts'
import { isRefunded, purchaseOf, type Purchases } from './purchases.ts'
import { nextPriceOf } from './schedules.ts'
import { itemOf, isPastDue, livingOf, paidUntil } from './subscription.ts'

/** How long payments are told of, in days. */
const told = 60

/** Reads how an account stands: from the API alone, never from events, which come late, twice, or in another order. */
export function createState(context: { stripe: Stripe; prices: Prices; purchases: Purchases; clock: Clock }) {
  const { stripe, prices, purchases, clock } = context

  async function look(customer: string): Promise<GatewayState> {
    const since = Math.floor(later(clock.now(), -told * 86_400).getTime() / 1000)
    const found = await asking(() => stripe.customers.retrieve(customer))
    // The subscription first: the payment that it began with is then seen, too.
    const subscription = found.deleted ? undefined : await livingOf(stripe, customer)
    const intents = await purchases.intentsOf(customer, since)
    const invoices = await invoicesOf(customer, since)
    const bought = intents.map(purchaseOf).filter((payment) => payment !== undefined)
    const byId = new Map(intents.map((intent) => [intent.id, intent]))
    const months: GatewayPayment[] = []
    for (const invoice of invoices) months.push(await paymentOf(invoice, byId))
    return {
      subscription: subscription ? await toldOf(subscription) : null,
      payments: [...bought, ...months].toSorted((one, other) => other.createdAt.getTime() - one.createdAt.getTime()),
      // What a customer owes less than nothing of is credited to later invoices.
      creditCents: found.deleted ? 0 : Math.max(0, -found.balance),
      card: found.deleted ? null : idOf(found.invoice_settings.default_payment_method),
    }
  }

  const invoicesOf = (customer: string, since: number): Promise<Stripe.Invoice[]> =>
    asking(() =>
      stripe.invoices
        .list({ customer, created: { gte: since }, limit: 100, expand: ['data.payments'] })
        .autoPagingToArray({ limit: 1000 }),
    )

  async function toldOf(subscription: Stripe.Subscription): Promise<GatewaySubscription> {
    const tier = await prices.tierOfSubscription(itemOf(subscription).price.id)
    const isCancelled = subscription.cancel_at_period_end || subscription.cancel_at !== null
    const nextPrice = nextPriceOf(subscription)
    const next = nextPrice === null ? null : await prices.tierOfSubscription(nextPrice)
    return {
      reference: subscription.id,
      status: isPastDue(subscription) ? 'past_due' : 'active',
      tier,
      nextTier: isCancelled ? 'free' : next,
      currentPeriodEnd: paidUntil(subscription),
      cancelledAt: isCancelled ? new Date((subscription.canceled_at ?? subscription.created) * 1000) : null,
    }
  }

  /** An invoice of less than nothing has been credited, and is about the tier that was left. */
  async function paymentOf(invoice: Stripe.Invoice, intents: ReadonlyMap<string, Stripe.PaymentIntent>) {
    const intent = intentOf(invoice, intents)
    const status = intent && isRefunded(intent) ? 'refunded' : statusOf(invoice)
    const cents = invoice.total < 0 ? invoice.total : invoice.amount_due
    const line = invoice.lines.data.find(({ amount }) => (cents < 0 ? amount < 0 : amount >= 0))
    const price = idOf(line?.pricing?.price_details?.price)
    return {
      reference: invoice.id,
      key: keyOf(invoice),
      cents,
      fromCreditCents: fromCreditOf(invoice),
      status,
      tier: price === null ? null : await prices.tierFor(price),
      left: await leftOf(invoice),
      failure: status === 'failed' ? refusalOf(intent?.last_payment_error) : null,
      createdAt: new Date(invoice.created * 1000),
    }
  }

  /** What is left of a month is a line of less than nothing. */
  async function leftOf({ lines }: Stripe.Invoice): Promise<LeftMonth | null> {
    const unused = lines.data.filter(({ amount }) => amount < 0)
    const price = idOf(unused[0]?.pricing?.price_details?.price)
    const tier = price === null ? null : await prices.tierFor(price)
    return tier && { tier, cents: -unused.reduce((sum, { amount }) => sum + amount, 0) }
  }

  return { look }
}

/**
 * What an invoice has taken of the credit; what was taken by one that is void was given back. A total below the smallest
 * charge is due later, too, and was not paid from any credit.
 */
function fromCreditOf({ status, total, amount_due: due, starting_balance: balance }: Stripe.Invoice): number {
  if (status === 'void' || status === 'draft') return 0
  return Math.max(0, Math.min(total - due, -balance))
}

/** A finished invoice that was not paid at the first attempt may be paid later. */
function statusOf({ status, attempted, auto_advance: isAdvanced }: Stripe.Invoice): GatewayPayment['status'] {
  if (status === 'paid') return 'paid'
  // It was left a draft, because its subscription was ended or changed.
  if (status === 'draft' && isAdvanced === false) return 'failed'
  if (status === 'void' || status === 'uncollectible') return 'failed'
  return status === 'open' && attempted ? 'failed' : 'pending'
}

function intentOf({ payments }: Stripe.Invoice, intents: ReadonlyMap<string, Stripe.PaymentIntent>) {
  const ids = (payments?.data ?? []).map(({ payment }) => idOf(payment.payment_intent))
  return ids.map((id) => (id === null ? undefined : intents.get(id))).find((intent) => intent !== undefined)
}

/** The key of the request that it comes from. A renewal comes from none, but repeats the metadata of the subscription. */
function keyOf({ billing_reason: reason, parent }: Stripe.Invoice): string | null {
  if (reason !== 'subscription_create' && reason !== 'subscription_update') return null
  return parent?.subscription_details?.metadata?.['key'] ?? null
}
