import { cardError, refused } from './cards.ts'
import { type Form, listIn, metadataIn } from './form.ts'
import { collect, lineOf } from './money.ts'
import { invalid, missing } from './problem.ts'
import { end, monthFrom } from './renewals.ts'
import type { Invoice, Item, Line, Price, Schedule, Subscription } from './shapes.ts'
import { listOf, type World } from './world.ts'

/**
 * If the request demands payment, undoes the work's changes to the customer and the records when its invoice is not
 * paid. Otherwise the subscription keeps the changes unpaid.
 */
function orNothing(world: World, subscription: Subscription, form: Form, work: () => Invoice): void {
  const customer = world.customer(subscription.customer)
  const before = { subscription: structuredClone(subscription), balance: customer.balance }
  const invoices = new Set(world.invoices.keys())
  const invoice = work()
  if (invoice.status === 'paid') return
  if (form['payment_behavior'] !== 'error_if_incomplete') {
    subscription.status = invoice.billing_reason === 'subscription_create' ? 'incomplete' : 'past_due'
    return
  }
  Object.assign(subscription, before.subscription)
  customer.balance = before.balance
  for (const id of world.invoices.keys()) if (!invoices.has(id)) world.invoices.delete(id)
  throw refused(cardError('generic_decline'))
}

export function create(world: World, form: Form): Subscription {
  const customer = world.customer(form['customer'] ?? '')
  const price = world.activePrice(listIn(form, 'items')[0]?.['price'] ?? '')
  if (customer.invoice_settings.default_payment_method === null && -customer.balance < price.unit_amount)
    throw invalid('This customer has no attached payment source or default payment method.', {
      code: 'resource_missing',
    })
  const now = world.now()
  const thing = world.newThing('sub', 'subscription', metadataIn(form))
  const item: Item = {
    id: world.newThing('si', 'subscription_item').id,
    object: 'subscription_item',
    price,
    quantity: 1,
    current_period_start: now,
    current_period_end: monthFrom(now, now),
  }
  const subscription: Subscription = {
    ...thing,
    customer: customer.id,
    status: 'active',
    items: listOf([item], '/v1/subscription_items'),
    billing_cycle_anchor: now,
    cancel_at_period_end: false,
    cancel_at: null,
    canceled_at: null,
    ended_at: null,
    latest_invoice: '',
    schedule: null,
  }
  orNothing(world, subscription, form, () => {
    const line = lineOf(world, price, price.unit_amount)
    const invoice = collect(world, subscription, [line], 'subscription_create')
    subscription.latest_invoice = invoice.id
    return invoice
  })
  world.subscriptions.set(subscription.id, subscription)
  world.emit('customer.subscription.created', subscription)
  return subscription
}

/** The share of a price for the rest of the period, in cents. */
function shareOf(world: World, price: Price, { current_period_start: from, current_period_end: to }: Item): number {
  const left = Math.max(0, to - world.now())
  return Math.round((price.unit_amount * left) / (to - from))
}

/** A negative line for the rest of the paid month. */
const unused = (world: World, item: Item): Line => lineOf(world, item.price, -shareOf(world, item.price, item))

export function update(world: World, subscription: Subscription, form: Form): Subscription {
  if (subscription.status === 'canceled') throw missing('subscription', subscription.id)
  const atEnd = form['cancel_at_period_end']
  if (atEnd !== undefined) {
    if (subscription.schedule !== null)
      throw invalid('The subscription is managed by a schedule, and updating any cancelation behavior is not allowed.')
    const isCancelled = atEnd === 'true'
    Object.assign(subscription, {
      cancel_at_period_end: isCancelled,
      cancel_at: isCancelled ? subscription.items.data[0]!.current_period_end : null,
      canceled_at: isCancelled ? (subscription.canceled_at ?? world.now()) : null,
    })
  }
  const [asked] = listIn(form, 'items')
  if (asked) orNothing(world, subscription, form, () => changePrice(world, subscription, form, asked['price'] ?? ''))
  world.emit('customer.subscription.updated', subscription)
  return subscription
}

function changePrice(world: World, subscription: Subscription, form: Form, id: string) {
  const item = subscription.items.data[0]!
  const price: Price = world.activePrice(id)
  const credit = form['proration_behavior'] === 'always_invoice' ? [unused(world, item)] : []
  Object.assign(subscription.metadata, metadataIn(form))
  const now = world.now()
  // Without a new anchor the period continues, and the rest of it has another price.
  const isNew = form['billing_cycle_anchor'] === 'now'
  const cents = isNew ? price.unit_amount : shareOf(world, price, item)
  Object.assign(item, { price }, isNew && { current_period_start: now, current_period_end: monthFrom(now, now) })
  Object.assign(subscription, { status: 'active' }, isNew && { billing_cycle_anchor: now })
  const lines = [...credit, lineOf(world, price, cents)]
  const invoice = collect(world, subscription, lines, 'subscription_update')
  subscription.latest_invoice = invoice.id
  return invoice
}

export function cancel(world: World, subscription: Subscription, form: Form): Subscription {
  if (subscription.status === 'canceled') throw missing('subscription', subscription.id)
  const left = unused(world, subscription.items.data[0]!)
  end(world, subscription)
  if (form['prorate'] === 'true' && left.amount < 0) collect(world, subscription, [left], 'subscription_update')
  return subscription
}

/** A schedule that starts with the paid period. */
export function schedule(world: World, form: Form): Schedule {
  const subscription = world.subscription(form['from_subscription'] ?? '')
  if (subscription.schedule !== null) throw invalid('The subscription is already attached to a schedule.')
  const item = subscription.items.data[0]!
  const { current_period_start: start_date, current_period_end: end_date } = item
  const made: Schedule = {
    ...world.newThing('sub_sched', 'subscription_schedule'),
    status: 'active',
    subscription: subscription.id,
    released_subscription: null,
    phases: [{ start_date, end_date, items: [{ price: item.price.id, quantity: 1 }] }],
  }
  world.schedules.set(made.id, made)
  subscription.schedule = made.id
  return made
}

export function setPhases(world: World, found: Schedule, form: Form): Schedule {
  let start = 0
  found.phases = listIn(form, 'phases').map((phase) => {
    const start_date = phase['start_date'] ? Number(phase['start_date']) : start
    const months = Number(phase['duration']?.['interval_count'] ?? 0)
    start = phase['end_date'] ? Number(phase['end_date']) : monthFrom(start_date, start_date)
    if (months > 1) throw invalid('The double knows phases of one month only.')
    const name = listIn(phase, 'items')[0]?.['price'] ?? ''
    const { id: price } = start_date > world.now() ? world.activePrice(name) : world.price(name)
    return { start_date, end_date: start, items: [{ price, quantity: 1 }] }
  })
  const subscription = world.subscriptions.get(found.subscription ?? '')
  if (subscription) world.emit('customer.subscription.updated', subscription)
  return found
}

export function release(world: World, found: Schedule): Schedule {
  if (found.status !== 'active') throw invalid(`The schedule has the status ${found.status}.`)
  const subscription = world.subscriptions.get(found.subscription ?? '')
  if (subscription) subscription.schedule = null
  Object.assign(found, { status: 'released', released_subscription: found.subscription, subscription: null })
  if (subscription) world.emit('customer.subscription.updated', subscription)
  return found
}
