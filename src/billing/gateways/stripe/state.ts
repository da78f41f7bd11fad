import type { Stripe } from 'stripe'
import { later, type Clock } from '../../../clock.ts'
import type { GatewayPayment, GatewayState, GatewaySubscription, LeftMonth } from '../gateway.ts'
import { idOf } from './customers.ts'
import { asking, refusalOf } from './failures.ts'
import { centsOf, creditUsedBy, intentsIn, keyOf, statusOf, unusedIn } from './invoices.ts'
import type { Prices } from './prices.ts'
import { isRefunded, purchaseOf, type Purchases } from './purchases.ts'
import { nextPriceOf } from './schedules.ts'
import { itemOf, isPastDue, livingOf, paidUntil } from './subscription.ts'
import { createReclaimCredit } from './reclaim-credit.ts'

/** How long payments are reported, in days. */
const reportedDays = 60

/**
 * Reads an account's state from the API and never from events, which arrive late, twice or out of order. First reclaims
 * the credit of months that were refunded later.
 */
export function createState(context: { stripe: Stripe; prices: Prices; purchases: Purchases; clock: Clock }) {
  const { stripe, prices, purchases, clock } = context
  const takenCredit = createReclaimCredit(stripe)

  async function readState(customer: string): Promise<GatewayState> {
    const since = Math.floor(later(clock.now(), -reportedDays * 86_400).getTime() / 1000)
    const found = await asking(() => stripe.customers.retrieve(customer))
    // Read the subscription first, so that its first payment is included.
    const subscription = found.deleted ? undefined : await livingOf(stripe, customer)
    const intents = await purchases.intentsOf(customer, since)
    const invoices = await invoicesOf(customer, since)
    const bought = intents.map(purchaseOf).filter((payment) => payment !== undefined)
    const intentOf = finderIn(intents)
    const isBack = (invoice: Stripe.Invoice): boolean | undefined => {
      const intent = intentOf(invoice)
      return intent && isRefunded(intent)
    }
    const { taken, isNew } = found.deleted ? nothingTaken : await takenCredit.settle(customer, invoices, isBack)
    const now = isNew ? await asking(() => stripe.customers.retrieve(customer)) : found
    const months: GatewayPayment[] = []
    for (const invoice of invoices) months.push(await paymentOf(invoice, intentOf(invoice), taken.get(invoice.id) ?? 0))
    return {
      subscription: subscription ? await presented(subscription) : null,
      payments: [...bought, ...months].toSorted((one, other) => other.createdAt.getTime() - one.createdAt.getTime()),
      // In Stripe, a negative balance is credit toward later invoices. A positive balance is added to the next invoice.
      creditCents: now.deleted ? 0 : 0 - now.balance,
      card: found.deleted ? null : idOf(found.invoice_settings.default_payment_method),
    }
  }

  const invoicesOf = (customer: string, since: number): Promise<Stripe.Invoice[]> =>
    asking(() =>
      stripe.invoices
        .list({ customer, created: { gte: since }, limit: 100, expand: ['data.payments'] })
        .autoPagingToArray({ limit: 1000 }),
    )

  async function presented(subscription: Stripe.Subscription): Promise<GatewaySubscription> {
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

  /**
   * A negative invoice is a credit for the tier that was left. Reclaimed credit counts as paid from credit, so the
   * payments add up.
   */
  async function paymentOf(invoice: Stripe.Invoice, intent: Stripe.PaymentIntent | undefined, taken: number) {
    const status = isPaidBack(intent) ? 'refunded' : statusOf(invoice)
    const cents = centsOf(invoice)
    const line = invoice.lines.data.find(({ amount }) => (cents < 0 ? amount < 0 : amount >= 0))
    const price = idOf(line?.pricing?.price_details?.price)
    return {
      reference: invoice.id,
      key: keyOf(invoice),
      cents,
      fromCreditCents: creditUsedBy(invoice) + taken,
      status,
      tier: price === null ? null : await prices.tierFor(price),
      left: await leftOf(invoice),
      failure: status === 'failed' ? refusalOf(intent?.last_payment_error) : null,
      createdAt: new Date(invoice.created * 1000),
    }
  }

  async function leftOf(invoice: Stripe.Invoice): Promise<LeftMonth | null> {
    const unused = unusedIn(invoice)
    const price = idOf(unused[0]?.pricing?.price_details?.price)
    const tier = price === null ? null : await prices.tierFor(price)
    return tier && { tier, cents: -unused.reduce((sum, { amount }) => sum + amount, 0) }
  }

  return { readState }
}

/** Finds the PaymentIntent of an invoice. */
function finderIn(intents: Stripe.PaymentIntent[]) {
  const byId = new Map(intents.map((intent) => [intent.id, intent]))
  return (invoice: Stripe.Invoice): Stripe.PaymentIntent | undefined =>
    intentsIn(invoice)
      .map((id) => byId.get(id))
      .find((intent) => intent !== undefined)
}

const nothingTaken = { taken: new Map<string, number>(), isNew: false }

const isPaidBack = (intent: Stripe.PaymentIntent | undefined): boolean => intent !== undefined && isRefunded(intent)
