import { later } from '../../../clock.ts'
import { newId } from '../../../ids.ts'
import { tierOf, type PaidTierName, type TierName } from '../../tiers.ts'
import type { GatewayPayment, LeftMonth, When } from '../gateway.ts'
import { refusalOf } from './cards.ts'
import { monthsAfter, shareLeft } from './months.ts'

/* A payment provider's rules, without a database. Each function changes the given world. */

export interface SandboxSubscription {
  reference: string
  tier: PaidTierName
  status: 'active' | 'past_due'
  nextTier: TierName | null
  anchor: Date
  /** Paid months since the anchor. */
  months: number
  cancelledAt: Date | null
  overdue: string | null
  retries: number
}

/** One customer. `card` is the test name of the newest card. `payments` has only new and changed ones. */
export interface World {
  creditCents: number
  card: string | null
  subscription: SandboxSubscription | null
  payments: GatewayPayment[]
}

/** Days after the end of the period on which an overdue payment is retried. After the last, the subscription ends. */
const retryDays = [1, 3, 5, 7] as const

const day = 86_400

export const periodEnd = ({ anchor, months }: SandboxSubscription): Date => monthsAfter(anchor, months)

const period = (of: SandboxSubscription) => ({ start: monthsAfter(of.anchor, of.months - 1), end: periodEnd(of) })

/** The time of the next automatic event. */
export function nextEventAt({ subscription }: World): Date | null {
  if (!subscription) return null
  const end = periodEnd(subscription)
  return subscription.status === 'active' ? end : later(end, (retryDays[subscription.retries] ?? 0) * day)
}

/** Applies all automatic events up to a time, in order. */
export function settle(world: World, now: Date): void {
  for (let at = nextEventAt(world); at !== null && at <= now; at = nextEventAt(world)) {
    if (world.subscription?.status === 'active') renew(world, world.subscription, at)
    else if (world.subscription) retry(world, world.subscription, at)
  }
}

function renew(world: World, subscription: SandboxSubscription, at: Date): void {
  const tier = subscription.nextTier ?? subscription.tier
  if (tier === 'free') {
    world.subscription = null
    return
  }
  Object.assign(subscription, { tier, nextTier: null })
  const payment = invoice(world, { tier, cents: tierOf(tier).centsPerMonth, key: null }, at)
  if (payment.status === 'paid') subscription.months += 1
  else Object.assign(subscription, { status: 'past_due', overdue: payment.reference, retries: 0 })
}

function retry(world: World, subscription: SandboxSubscription, at: Date): void {
  if (payAgain(world, subscription, at) === null) return
  subscription.retries += 1
  if (subscription.retries >= retryDays.length) world.subscription = null
}

/** Retries the overdue charge. Returns the reason if it was refused, otherwise null. */
function payAgain(world: World, subscription: SandboxSubscription, at: Date): string | null {
  const { tier, overdue } = subscription
  const cents = tierOf(tier).centsPerMonth
  const payment = invoice(world, { tier, cents, key: null, reference: overdue, since: periodEnd(subscription) }, at)
  if (payment.status !== 'paid') return payment.failure
  subscription.months += 1
  Object.assign(subscription, { status: 'active', overdue: null, retries: 0 })
  return null
}

interface Invoice {
  tier: PaidTierName | null
  cents: number
  key: string | null
  left?: LeftMonth | null
  /** The id of the payment that failed before. */
  reference?: string | null
  since?: Date
}

/** Charges what the credit does not cover. A negative amount becomes credit. */
function invoice(world: World, { tier, cents, key, left = null, reference, since }: Invoice, at: Date): GatewayPayment {
  // The credit is for subscriptions, so it does not pay for bought credits.
  const credited = tier === null ? 0 : Math.min(world.creditCents, cents)
  const due = cents - credited
  const failure = due > 0 ? refusalOf(world.card) : null
  if (failure === null) world.creditCents -= credited
  const payment: GatewayPayment = {
    reference: reference ?? `sandbox_${newId()}`,
    key,
    // `min` has already turned a negative amount into credit.
    cents: cents < 0 ? cents : due,
    fromCreditCents: failure === null ? Math.max(0, credited) : 0,
    status: failure === null ? 'paid' : 'failed',
    tier,
    left,
    failure,
    createdAt: since ?? at,
  }
  world.payments = [...world.payments.filter((other) => other.reference !== payment.reference), payment]
  return payment
}

/** Returns the reason if the charge was refused, otherwise null. */
export const pay = (world: World, { cents, key }: { cents: number; key: string }, at: Date): string | null =>
  invoice(world, { tier: null, cents, key }, at).failure

/** Starts with a month from now. */
export function subscribe(world: World, { tier, key }: { tier: PaidTierName; key: string }, at: Date): string | null {
  const { failure } = invoice(world, { tier, cents: tierOf(tier).centsPerMonth, key }, at)
  if (failure === null) world.subscription = { ...fresh, reference: `sandbox_${newId()}`, tier, anchor: at }
  return failure
}

const fresh = {
  status: 'active',
  months: 1,
  nextTier: null,
  cancelledAt: null,
  overdue: null,
  retries: 0,
} as const

export function change(
  world: World,
  subscription: SandboxSubscription,
  { tier, when, key }: { tier: PaidTierName; when: When; key: string },
  at: Date,
): string | null {
  if (tier !== subscription.tier && when === 'now') return changeNow(world, subscription, { tier, key }, at)
  keep(subscription)
  if (tier !== subscription.tier) subscription.nextTier = tier
  return null
}

/** Starts a month of the other tier. What is left of the current month counts toward its price. */
function changeNow(
  world: World,
  subscription: SandboxSubscription,
  { tier, key }: { tier: PaidTierName; key: string },
  at: Date,
): string | null {
  const left = leftOf(subscription, at)
  const cents = tierOf(tier).centsPerMonth - (left?.cents ?? 0)
  const { failure } = invoice(world, { tier: cents < 0 ? subscription.tier : tier, cents, key, left }, at)
  if (failure === null) Object.assign(subscription, { ...fresh, tier, anchor: at })
  return failure
}

/** The remaining value of the paid month; null if nothing is left. */
function leftOf(subscription: SandboxSubscription, at: Date): LeftMonth | null {
  const { tier, status } = subscription
  const cents = status === 'active' ? shareLeft(tierOf(tier).centsPerMonth, period(subscription), at) : 0
  return cents > 0 ? { tier, cents } : null
}

/** Ends it. If it ends now, credits the rest. An overdue month was not paid, so it always ends now. */
export function cancel(world: World, subscription: SandboxSubscription, when: When, at: Date): void {
  if (when === 'period_end' && subscription.status === 'active') {
    Object.assign(subscription, { nextTier: 'free', cancelledAt: subscription.cancelledAt ?? at })
    return
  }
  const left = leftOf(subscription, at)
  if (left) invoice(world, { tier: subscription.tier, cents: -left.cents, key: null, left }, at)
  world.subscription = null
}

/** Revokes the change at the end of the period. */
export const keep = (subscription: SandboxSubscription): void =>
  void Object.assign(subscription, { nextTier: null, cancelledAt: null })

/** Returns the reason if the charge was refused; null if nothing is overdue any longer. */
export const payOverdue = (world: World, subscription: SandboxSubscription, at: Date): string | null =>
  subscription.status === 'past_due' ? payAgain(world, subscription, at) : null
