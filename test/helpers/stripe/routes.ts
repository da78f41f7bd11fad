import { cardError, refused, testCards } from './cards.ts'
import { type Form, metadataIn, textsIn } from './form.ts'
import { attempt, charge, finalize, voidInvoice } from './money.ts'
import { existing, invalid, missing } from './problem.ts'
import { end, revive } from './renewals.ts'
import type { Dispute, Intent, Invoice, Method, Subscription, Transaction } from './shapes.ts'
import * as subscriptions from './subscriptions.ts'
import { listOf, type World } from './world.ts'

/** The response to a request: a Stripe object. `id` is the id in the path. */
type Route = (world: World, form: Form, id: string) => object

/** A page of a list, newest first like all Stripe lists. */
function page<T extends { id: string; created: number }>(all: Iterable<T>, form: Form, url: string) {
  const since = Number(form['created']?.['gte'] ?? 0)
  const newest = [...all].toReversed().filter(({ created }) => created >= since)
  const after = form['starting_after']
  const from = after === undefined ? 0 : newest.findIndex(({ id }) => id === after) + 1
  const limit = Number(form['limit'] ?? 10)
  return listOf(newest.slice(from, from + limit), url, from + limit < newest.length)
}

const ofCustomer = <T extends { customer: string | null }>(all: Map<string, T>, form: Form): T[] =>
  [...all.values()].filter(({ customer }) => customer === form['customer'])

const withCharge = (world: World, intent: Intent) => ({
  ...intent,
  latest_charge: world.charges.get(intent.latest_charge ?? '') ?? null,
})

function attach(world: World, form: Form, name: string): Method {
  const customer = world.customer(form['customer'] ?? '')
  const known = world.methods.get(name)
  if (known?.customer) throw invalid('The payment method you provided has already been attached to a customer.')
  const method = known ?? newMethod(world, name)
  const refusal = testCards[name]?.attach
  if (refusal !== undefined) throw refused(cardError(refusal))
  method.customer = customer.id
  world.methods.set(method.id, method)
  return method
}

export function newMethod(world: World, name: string): Method {
  const test = Object.hasOwn(testCards, name) ? testCards[name] : undefined
  if (!test) throw missing('PaymentMethod', name, 'payment_method')
  const { brand, last4 } = test
  return { ...world.newThing('pm', 'payment_method'), type: 'card', card: { brand, last4 }, customer: null }
}

function pay(world: World, form: Form): object {
  const customer = world.customer(form['customer'] ?? '')
  const amount = Number(form['amount'] ?? 0)
  const method = form['payment_method'] ?? null
  if (amount < 50) throw invalid('Amount must be at least $0.50 usd', { code: 'amount_too_small', param: 'amount' })
  const intent = charge(world, customer, { amount, method, metadata: metadataIn(form) })
  if (intent.last_payment_error) throw refused(intent.last_payment_error, { payment_intent: intent })
  return withCharge(world, intent)
}

function adjust(world: World, form: Form, id: string): Transaction {
  const customer = world.customer(id)
  const amount = Number(form['amount'] ?? 0)
  customer.balance += amount
  const made = {
    ...world.newThing('cbtxn', 'customer_balance_transaction', metadataIn(form)),
    customer: id,
    amount,
    currency: form['currency'] ?? '',
    type: 'adjustment' as const,
    ending_balance: customer.balance,
  }
  world.transactions.set(made.id, made)
  world.emit('customer.updated', customer)
  return made
}

/** A subscription with the requested expansions. */
function told(world: World, subscription: Subscription, form: Form, prefix = ''): object {
  const wanted = textsIn(form, 'expand')
  const { schedule, latest_invoice: latest } = subscription
  const schedules = wanted.includes(`${prefix}schedule`) && { schedule: world.schedules.get(schedule ?? '') ?? null }
  // Payments of an invoice are included only if expanded.
  const { payments, ...invoice } = world.invoice(latest)
  const isFull = wanted.includes(`${prefix}latest_invoice.payments`)
  const isWanted = isFull || wanted.includes(`${prefix}latest_invoice`)
  const invoices = isWanted && { latest_invoice: { ...invoice, ...(isFull && { payments }) } }
  return { ...subscription, ...schedules, ...invoices }
}

const ofSubscription = (world: World, id: string | undefined): Invoice[] =>
  [...world.invoices.values()].filter(({ parent }) => parent.subscription_details.subscription === id)

function payInvoice(world: World, id: string): object {
  const invoice = world.invoice(id)
  if (invoice.status === 'paid') throw invalid('Invoice is already paid')
  if (invoice.status !== 'open') throw invalid('This invoice cannot be paid.')
  const failed = attempt(world, invoice)
  if (failed?.last_payment_error) throw refused(failed.last_payment_error, { payment_intent: failed })
  const { subscription } = invoice.parent.subscription_details
  const found = world.subscription(subscription)
  if (found.latest_invoice === id && (found.status === 'past_due' || found.status === 'unpaid')) revive(world, found)
  return invoice
}

/** Refunds a whole payment, as a user of the dashboard does. */
export function refund(world: World, intent: Intent): void {
  const found = existing(world.charges.get(intent.latest_charge ?? ''), 'charge', intent.id)
  Object.assign(found, { refunded: true, amount_refunded: found.amount })
  world.emit('charge.refunded', found)
}

/** Disputes a payment, as a payer does at the bank, and decides the dispute, perhaps again. */
export function dispute(world: World, intent: Intent, status: Dispute['status']): void {
  const found = existing(world.charges.get(intent.latest_charge ?? ''), 'charge', intent.id)
  found.disputed = true
  const before = [...world.disputes.values()].find(({ charge }) => charge === found.id)
  if (before) return world.emit('charge.dispute.closed', Object.assign(before, { status }))
  const made = { ...world.newThing('du', 'dispute'), status, charge: found.id, payment_intent: intent.id }
  world.disputes.set(made.id, made)
  world.emit('charge.dispute.closed', made)
}

/** Deletes a customer, as a user of the dashboard does. It can still be read, but not used. */
export function deleteCustomer(world: World, id: string): void {
  const customer = world.customer(id)
  world.customers.delete(id)
  world.deleted.add(id)
  for (const method of world.methods.values()) if (method.customer === id) method.customer = null
  for (const one of world.subscriptions.values()) if (one.customer === id && one.status !== 'canceled') end(world, one)
  world.emit('customer.deleted', customer)
}

export const routes: Record<string, Route> = {
  'POST /v1/customers': (world, form) => {
    const thing = world.newThing('cus', 'customer', metadataIn(form))
    const customer = { ...thing, balance: 0, invoice_settings: { default_payment_method: null } }
    world.customers.set(customer.id, customer)
    return customer
  },
  'GET /v1/customers/:id': (world, _form, id) =>
    world.deleted.has(id) ? { id, object: 'customer', deleted: true } : world.customer(id),
  'POST /v1/customers/:id': (world, form, id) => {
    const method = form['invoice_settings']?.['default_payment_method']
    const customer = world.customer(id)
    const problem = { code: 'resource_missing', param: 'invoice_settings[default_payment_method]' }
    if (method && world.methods.get(method)?.customer !== id)
      throw invalid('The customer does not have this payment method.', problem)
    if (method !== undefined) customer.invoice_settings.default_payment_method = method === '' ? null : method
    return customer
  },
  'GET /v1/customers/:id/balance_transactions': (world, form, id) =>
    page(
      [...world.transactions.values()].filter(({ customer }) => customer === world.customer(id).id),
      form,
      `/v1/customers/${id}/balance_transactions`,
    ),
  'POST /v1/customers/:id/balance_transactions': adjust,
  'POST /v1/payment_methods/:id/attach': attach,
  'GET /v1/payment_methods/:id': (world, _form, id) => existing(world.methods.get(id), 'PaymentMethod', id),
  'POST /v1/payment_methods/:id/detach': (world, _form, id) => {
    const method = existing(world.methods.get(id), 'PaymentMethod', id)
    if (method.customer === null) throw invalid('The payment method you provided is not attached to a customer.')
    const settings = world.customer(method.customer).invoice_settings
    if (settings.default_payment_method === id) settings.default_payment_method = null
    method.customer = null
    return method
  },
  'POST /v1/setup_intents': (world, form) => {
    const { id, ...rest } = world.newThing('seti', 'setup_intent')
    return {
      id,
      ...rest,
      customer: form['customer'],
      client_secret: `${id}_secret_double`,
      status: 'requires_payment_method',
    }
  },
  'GET /v1/prices': (world, form) => {
    const keys = textsIn(form, 'lookup_keys')
    return page(
      [...world.prices.values()].filter((price) => keys.includes(price.lookup_key ?? '')),
      form,
      '/v1/prices',
    )
  },
  'GET /v1/prices/:id': (world, _form, id) => world.price(id),
  'POST /v1/prices': (world, form) => {
    const lookup_key = form['lookup_key'] ?? null
    const before = [...world.prices.values()].find((price) => price.lookup_key === lookup_key)
    if (before && form['transfer_lookup_key'] !== 'true')
      throw invalid('A price already uses that lookup key.', { param: 'lookup_key' })
    if (before) before.lookup_key = null
    const price = {
      ...world.newThing('price', 'price', metadataIn(form)),
      active: true,
      currency: 'usd',
      unit_amount: Number(form['unit_amount'] ?? 0),
      lookup_key,
      product: form['product'] ?? '',
    }
    world.prices.set(price.id, price)
    return price
  },
  'POST /v1/products': (world, form) => {
    const id = form['id'] ?? world.newThing('prod', 'product').id
    if (world.products.has(id)) throw invalid('Product already exists.', { code: 'resource_already_exists' })
    world.products.add(id)
    return { id, object: 'product', created: world.now(), active: true, name: form['name'] ?? '' }
  },
  'POST /v1/payment_intents': pay,
  'GET /v1/payment_intents/:id': (world, form, id) => {
    const intent = existing(world.intents.get(id), 'payment_intent', id)
    return textsIn(form, 'expand').includes('latest_charge') ? withCharge(world, intent) : intent
  },
  'GET /v1/disputes': (world, form) => {
    const all = [...world.disputes.values()]
    return page(
      all.filter((one) => one.payment_intent === form['payment_intent']),
      form,
      '/v1/disputes',
    )
  },
  'POST /v1/payment_intents/:id/cancel': (world, _form, id) => {
    const intent = existing(world.intents.get(id), 'payment_intent', id)
    if (intent.status === 'succeeded') throw invalid('This PaymentIntent has succeeded.')
    intent.status = 'canceled'
    return withCharge(world, intent)
  },
  'GET /v1/payment_intents': (world, form) => {
    const found = page(ofCustomer(world.intents, form), form, '/v1/payment_intents')
    return { ...found, data: found.data.map((intent) => withCharge(world, intent)) }
  },
  'POST /v1/subscriptions': subscriptions.create,
  'GET /v1/subscriptions': (world, form) => {
    const living = ofCustomer(world.subscriptions, form).filter(({ status }) => status !== 'canceled')
    const found = page(living, form, '/v1/subscriptions')
    return { ...found, data: found.data.map((one) => told(world, one, form, 'data.')) }
  },
  'GET /v1/subscriptions/:id': (world, form, id) => told(world, world.subscription(id), form),
  'POST /v1/subscriptions/:id': (world, form, id) =>
    told(world, subscriptions.update(world, world.subscription(id), form), form),
  'DELETE /v1/subscriptions/:id': (world, form, id) => subscriptions.cancel(world, world.subscription(id), form),
  'POST /v1/subscription_schedules': subscriptions.schedule,
  'POST /v1/subscription_schedules/:id': (world, form, id) =>
    subscriptions.setPhases(world, existing(world.schedules.get(id), 'schedule', id), form),
  'POST /v1/subscription_schedules/:id/release': (world, _form, id) =>
    subscriptions.release(world, existing(world.schedules.get(id), 'schedule', id)),
  'GET /v1/invoices': (world, form) => {
    const subscription = form['subscription']
    const found = subscription === undefined ? ofCustomer(world.invoices, form) : ofSubscription(world, subscription)
    return page(found, form, '/v1/invoices')
  },
  'GET /v1/invoices/:id': (world, _form, id) => world.invoice(id),
  'POST /v1/invoices/:id': (world, form, id) => {
    world.invoice(id).auto_advance = form['auto_advance'] !== 'false'
    return world.invoice(id)
  },
  'POST /v1/invoices/:id/finalize': (world, _form, id) => {
    finalize(world, world.invoice(id))
    return world.invoice(id)
  },
  'POST /v1/invoices/:id/pay': (world, _form, id) => payInvoice(world, id),
  'POST /v1/invoices/:id/void': (world, _form, id) => {
    voidInvoice(world, world.invoice(id))
    return world.invoice(id)
  },
  'GET /v1/events': (world, form) => {
    const types = textsIn(form, 'types')
    return page(
      world.events.filter(({ type }) => types.length === 0 || types.includes(type)),
      form,
      '/v1/events',
    )
  },
}
