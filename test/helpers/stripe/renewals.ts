import { monthsAfter } from '../../../src/billing/gateways/sandbox/months.ts'
import { attempt, collect, lineOf } from './money.ts'
import type { Subscription } from './shapes.ts'
import type { World } from './world.ts'

const day = 86_400

/** When an overdue invoice is tried again, in days after the end of the period; the subscription ends with the last one. */
const retryDays = [1, 3, 5, 7]

/** The end of the month that begins at a time, counted from the anchor. */
export function monthFrom(anchor: number, start: number): number {
  const at = (months: number) => monthsAfter(new Date(anchor * 1000), months).getTime() / 1000
  let months = 1
  while (at(months) <= start) months += 1
  return at(months)
}

/** Lets everything happen that is due by now, in order. */
export function settle(world: World): void {
  for (const subscription of world.subscriptions.values()) {
    for (let at = nextEventAt(world, subscription); at <= world.now(); at = nextEventAt(world, subscription)) {
      if (subscription.status === 'active') renew(world, subscription)
      else retry(world, subscription)
    }
  }
}

function nextEventAt(world: World, subscription: Subscription): number {
  const [item] = subscription.items.data
  if (!item || subscription.status === 'canceled') return Number.POSITIVE_INFINITY
  if (subscription.status === 'active') return item.current_period_end
  const tried = world.invoice(subscription.latest_invoice).attempt_count - 1
  return item.current_period_start + (retryDays[tried] ?? 0) * day
}

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
  const invoice = collect(world, subscription, [line], 'subscription_cycle')
  subscription.latest_invoice = invoice.id
  subscription.status = invoice.status === 'paid' ? 'active' : 'past_due'
  world.emit('customer.subscription.updated', subscription)
}

function retry(world: World, subscription: Subscription): void {
  const invoice = world.invoice(subscription.latest_invoice)
  if (!attempt(world, invoice)) return revive(world, subscription)
  if (invoice.attempt_count > retryDays.length) end(world, subscription)
}

/** The overdue month is paid. */
export function revive(world: World, subscription: Subscription): void {
  subscription.status = 'active'
  world.emit('customer.subscription.updated', subscription)
}

export function end(world: World, subscription: Subscription): void {
  Object.assign(subscription, { status: 'canceled', ended_at: world.now(), canceled_at: world.now(), schedule: null })
  world.emit('customer.subscription.deleted', subscription)
}
