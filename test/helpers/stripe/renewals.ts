import { monthsAfter } from '../../../src/billing/gateways/sandbox/months.ts'
import { attempt, draft, finalize, lineOf } from './money.ts'
import type { Invoice, Subscription } from './shapes.ts'
import type { World } from './world.ts'

const day = 86_400

/** How long the invoice of a renewal stays a draft. */
const hour = 3600

/**
 * The days after the end of the period on which an overdue invoice is retried. The subscription ends with the last
 * retry.
 */
const retryDays = [1, 3, 5, 7]

/** The end of the month that starts at this time, counted from the anchor. */
export function monthFrom(anchor: number, start: number): number {
  const at = (months: number) => monthsAfter(new Date(anchor * 1000), months).getTime() / 1000
  let months = 1
  while (at(months) <= start) months += 1
  return at(months)
}

/** Processes everything that is due by now, in order. */
export function settle(world: World): void {
  for (const subscription of world.subscriptions.values()) {
    for (let next = nextEvent(world, subscription); next.at <= world.now(); next = nextEvent(world, subscription))
      next.happen()
  }
}

interface Event {
  at: number
  happen(): void
}

/** A draft is collected even if its subscription has ended meanwhile. */
function nextEvent(world: World, subscription: Subscription): Event {
  const draft = [...world.invoices.values()].find((invoice) => isWaiting(invoice, subscription))
  if (draft) return { at: draft.created + hour, happen: () => finish(world, subscription, draft) }
  const [item] = subscription.items.data
  if (item && subscription.status === 'active')
    return { at: item.current_period_end, happen: () => renew(world, subscription) }
  if (!item || subscription.status !== 'past_due') return { at: Number.POSITIVE_INFINITY, happen: () => undefined }
  const tried = world.invoice(subscription.latest_invoice).attempt_count - 1
  return { at: item.current_period_start + (retryDays[tried] ?? 0) * day, happen: () => retry(world, subscription) }
}

const isWaiting = ({ status, auto_advance: isAdvanced, parent }: Invoice, { id }: Subscription): boolean =>
  status === 'draft' && isAdvanced && parent.subscription_details.subscription === id

/** Finishes a draft after its hour. */
function finish(world: World, subscription: Subscription, invoice: Invoice): void {
  finalize(world, invoice)
  const failed = attempt(world, invoice)
  if (subscription.status === 'canceled' || subscription.latest_invoice !== invoice.id) return
  subscription.status = failed ? 'past_due' : 'active'
  world.emit('customer.subscription.updated', subscription)
}

/** Starts the next month immediately. Its invoice is an unpaid draft for an hour. */
function renew(world: World, subscription: Subscription): void {
  if (subscription.cancel_at_period_end) return end(world, subscription)
  const item = subscription.items.data[0]!
  const start = item.current_period_end
  const schedule = world.schedules.get(subscription.schedule ?? '')
  const phase = schedule?.phases.find(({ start_date }) => start_date === start)
  if (phase) item.price = world.price(phase.items[0]!.price)
  else if (schedule) {
    Object.assign(schedule, { status: 'released', subscription: null })
    subscription.schedule = null
  }
  item.current_period_start = start
  item.current_period_end = monthFrom(subscription.billing_cycle_anchor, start)
  const line = lineOf(world, item.price, item.price.unit_amount)
  const invoice = draft(world, subscription, [line], 'subscription_cycle', start)
  subscription.latest_invoice = invoice.id
  world.emit('customer.subscription.updated', subscription)
}

function retry(world: World, subscription: Subscription): void {
  const invoice = world.invoice(subscription.latest_invoice)
  if (!attempt(world, invoice)) return revive(world, subscription)
  if (invoice.attempt_count > retryDays.length) end(world, subscription)
}

/** Continues a subscription after its overdue month was paid. */
export function revive(world: World, subscription: Subscription): void {
  subscription.status = 'active'
  world.emit('customer.subscription.updated', subscription)
}

export function end(world: World, subscription: Subscription): void {
  Object.assign(subscription, { status: 'canceled', ended_at: world.now(), canceled_at: world.now(), schedule: null })
  world.emit('customer.subscription.deleted', subscription)
}
