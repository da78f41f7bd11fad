import { cardError, refusalOfCharge } from './cards.ts'
import type { Customer, Intent, Invoice, Line, Price, Subscription } from './shapes.ts'
import { invalid } from './problem.ts'
import { listOf, type World } from './world.ts'

/** Charges the card. The PaymentIntent has the result. */
export function charge(
  world: World,
  customer: Customer,
  { amount, method, metadata }: { amount: number; method: string | null; metadata?: Record<string, string> },
): Intent {
  const card = method === null ? undefined : world.methods.get(method)
  const decline = card && card.customer === customer.id ? refusalOfCharge(card.card.last4) : 'no_card'
  const intent: Intent = {
    ...world.newThing('pi', 'payment_intent', metadata),
    customer: customer.id,
    amount,
    currency: 'usd',
    payment_method: method,
    status: decline === undefined ? 'succeeded' : 'requires_payment_method',
    last_payment_error: decline === undefined ? null : cardError(decline),
    latest_charge: null,
  }
  world.intents.set(intent.id, intent)
  if (decline === undefined) settle(world, intent)
  world.emit(decline === undefined ? 'payment_intent.succeeded' : 'payment_intent.payment_failed', intent)
  return intent
}

function settle(world: World, intent: Intent): void {
  const { id: payment_intent, amount, customer } = intent
  const made = { ...world.newThing('ch', 'charge'), amount, customer, payment_intent }
  world.charges.set(made.id, { ...made, amount_refunded: 0, refunded: false, disputed: false })
  intent.latest_charge = made.id
}

/** One line of an invoice: a month, or a negative amount for the rest of one. */
export const lineOf = (world: World, price: Price, amount: number): Line => ({
  id: world.newThing('il', 'line_item').id,
  object: 'line_item',
  amount,
  description: amount < 0 ? 'Unused time' : 'A month',
  pricing: { type: 'price_details', price_details: { price: price.id, product: price.product } },
})

/** Makes an invoice that can still change. The customer's credit is not used yet. */
export function draft(world: World, subscription: Subscription, lines: Line[], reason: string, created = world.now()) {
  const thing = { ...world.newThing('in', 'invoice'), created }
  const total = lines.reduce((sum, line) => sum + line.amount, 0)
  const invoice: Invoice = {
    ...thing,
    customer: subscription.customer,
    status: 'draft',
    auto_advance: true,
    attempted: false,
    attempt_count: 0,
    billing_reason: reason,
    total,
    amount_due: Math.max(0, total),
    amount_paid: 0,
    starting_balance: 0,
    ending_balance: null,
    lines: listOf(lines, `/v1/invoices/${thing.id}/lines`),
    parent: {
      type: 'subscription_details',
      subscription_details: { subscription: subscription.id, metadata: { ...subscription.metadata } },
    },
    payments: listOf([], '/v1/invoice_payments'),
  }
  world.invoices.set(invoice.id, invoice)
  return invoice
}

/** Closes a draft and applies the customer's credit. */
export function finalize(world: World, invoice: Invoice): void {
  if (invoice.status !== 'draft') throw invalid('This invoice is already finalized.')
  const customer = world.customer(invoice.customer)
  const { balance: starting } = customer
  const { total } = invoice
  // Credit is used first, and a debt is charged, too. A negative total becomes credit.
  const due = Math.max(0, total + starting)
  customer.balance = starting + total - due
  const balances = { starting_balance: starting, ending_balance: customer.balance }
  Object.assign(invoice, { status: 'open', amount_due: due, ...balances })
  world.emit('invoice.finalized', invoice)
}

/** Makes an invoice and tries to collect it immediately. */
export function collect(world: World, subscription: Subscription, lines: Line[], reason: string): Invoice {
  const invoice = draft(world, subscription, lines, reason)
  finalize(world, invoice)
  attempt(world, invoice)
  return invoice
}

/** Tries to collect an open invoice. Returns the refused PaymentIntent, if any. */
export function attempt(world: World, invoice: Invoice): Intent | undefined {
  const customer = world.customer(invoice.customer)
  Object.assign(invoice, { attempted: true, attempt_count: invoice.attempt_count + 1 })
  const method = customer.invoice_settings.default_payment_method
  const intent = invoice.amount_due > 0 ? charge(world, customer, { amount: invoice.amount_due, method }) : undefined
  if (intent) {
    const payment = { type: 'payment_intent' as const, payment_intent: intent.id }
    // At Stripe a later attempt confirms the same intent. Here the newest intent counts.
    invoice.payments.data = [{ id: world.newThing('inpay', 'invoice_payment').id, object: 'invoice_payment', payment }]
  }
  if (intent?.status === 'requires_payment_method') {
    world.emit('invoice.payment_failed', invoice)
    return intent
  }
  Object.assign(invoice, { status: 'paid', amount_paid: invoice.amount_due })
  world.emit('invoice.paid', invoice)
  return undefined
}

/** Voids an invoice and restores the credit that it used. */
export function voidInvoice(world: World, invoice: Invoice): void {
  if (invoice.status !== 'open') throw invalid('You can only void an open or uncollectible invoice.')
  invoice.status = 'void'
  const customer = world.customer(invoice.customer)
  customer.balance -= Math.max(0, invoice.total) - invoice.amount_due
  world.emit('invoice.voided', invoice)
}
