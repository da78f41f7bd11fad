import { earliest, later, type Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import { regardless } from '../database/while-permitted.ts'
import type { Due } from '../runs/due.ts'
import { Account } from './account.ts'
import { createChargedCard } from './charged-card.ts'
import type { Credits } from './credits.ts'
import type { Gateway, GatewayState, GatewaySubscription } from './gateways/gateway.ts'
import type { OverdueNotices } from './overdue-notices.ts'
import type { Payments } from './payments.ts'
import { isHigher } from './tiers.ts'

/**
 * The polling interval of an account with a subscription, in seconds: normally, while past due, and while a new month
 * is uncharged.
 */
const every = { active: 86_400, pastDue: 3600, awaited: 300 }

/**
 * Reads an account's state from the gateway and applies it here. Webhooks, requests and the sweep all end in a poll,
 * and only a poll changes tiers and settles payments. So the order of events does not matter.
 */
export function createPollGateway(context: {
  database: Database
  clock: Clock
  gateway: Gateway
  credits: Credits
  payments: Payments
  overdue: OverdueNotices
  due: Pick<Due, 'owner'>
}) {
  const { database, clock, gateway, credits, payments, overdue, due } = context
  const card = createChargedCard(context)

  /** Takes the next number. Of two polls, the higher number began later and has newer data. */
  const begin = (ownerId: string): Promise<Known & { number: number }> =>
    database.transaction(async (trx) => {
      await credits.locked(ownerId, trx)
      const next = { looksBegun: trx.raw('looks_begun + 1') }
      const [begun] = await trx('accounts')
        .where({ ownerId })
        .update(next)
        .returning(['looksBegun', 'customer', 'subscription'])
      const { looksBegun: number, ...known } = begun
      return { number, ...known }
    })

  /** The gateway's id for the account. An id from another gateway is useless. */
  async function customerOf(ownerId: string, account?: Known): Promise<string> {
    const { customer: named, subscription } = account ?? (await credits.current(ownerId))
    const isOurs = named !== null && named.startsWith('sandbox_') === (gateway.name === 'sandbox')
    const known = isOurs ? { customer: named, isSubscribed: subscription !== null } : undefined
    const customer = await gateway.customer(ownerId, known)
    if (customer !== named) await database.transaction((trx) => rename(trx, ownerId, { named, customer }))
    return customer
  }

  /** A new customer has none of the old customer's cards. */
  async function rename(
    trx: Transaction,
    ownerId: string,
    { named, customer }: { named: string | null; customer: string },
  ) {
    const renamed = await Account.query(trx).where({ ownerId, customer: named }).patch({ customer })
    if (renamed > 0 && named !== null) await card.forget(trx, ownerId)
  }

  async function apply(trx: Transaction, ownerId: string, number: number, state: GatewayState): Promise<void> {
    const account = await credits.locked(ownerId, trx)
    if (account.lookApplied > number) return
    const facts = factsOf(account, state.subscription)
    await Account.query(trx)
      .findById(ownerId)
      .patch({ ...facts, creditCents: state.creditCents, lookApplied: number })
    for (const payment of state.payments.toReversed()) await payments.settle(trx, account, payment)
    // The tier grants the month's credits.
    const after = await credits.locked(ownerId, trx)
    await overdue.notifyChange(trx, account, after)
    await follow(trx, account, after)
  }

  /** Wakes runs that may have waited for this; the sweep does the rest. */
  async function follow(trx: Transaction, before: Account, after: Account): Promise<void> {
    const { ownerId, fittedTier, tier } = after
    const isOther = before.tier !== tier || before.subscriptionStatus !== after.subscriptionStatus
    if (isOther) await due.owner(trx, ownerId)
    await pollBy(trx, ownerId, fittedTier === tier ? nextPollAt(after, clock.now()) : clock.now())
  }

  /** Polls a user's account. Throws the gateway's errors. */
  const poll = (ownerId: string): Promise<void> => regardless(() => pollNow(ownerId))

  async function pollNow(ownerId: string): Promise<void> {
    const { number, ...known } = await begin(ownerId)
    const customer = await customerOf(ownerId, known)
    const state = await gateway.readState(customer)
    await database.transaction((trx) => apply(trx, ownerId, number, state))
    await card.fit(ownerId, customer, state.card)
  }

  return { poll, customerOf }
}

export type PollGateway = ReturnType<typeof createPollGateway>

type Known = Pick<Account, 'customer' | 'subscription'>

type Facts = Pick<
  Account,
  'tier' | 'subscription' | 'subscriptionStatus' | 'nextTier' | 'currentPeriodEnd' | 'cancelledAt'
>

function factsOf(account: Account, subscription: GatewaySubscription | null): Facts {
  if (!subscription) return free
  const { reference, status, currentPeriodEnd, cancelledAt } = subscription
  const tiers = tiersOf(account, subscription)
  return { ...tiers, subscription: reference, subscriptionStatus: status, currentPeriodEnd, cancelledAt }
}

/** A higher tier starts with a paid month. While that month is overdue, the old tier stays and the new one follows. */
function tiersOf({ tier: before }: Account, { status, tier, nextTier }: GatewaySubscription) {
  const isUnpaid = status === 'past_due' && isHigher(tier, before)
  return isUnpaid ? { tier: before, nextTier: tier } : { tier, nextTier }
}

const free: Facts = {
  tier: 'free',
  subscription: null,
  subscriptionStatus: null,
  nextTier: null,
  currentPeriodEnd: null,
  cancelledAt: null,
}

/** When to poll next without an event, because events may be lost. */
export function nextPollAt({ subscriptionStatus, currentPeriodEnd, clockSeconds }: Account, now: Date): Date | null {
  if (subscriptionStatus === 'past_due') return later(now, every.pastDue)
  if (subscriptionStatus !== 'active' || currentPeriodEnd === null) return null
  const end = later(currentPeriodEnd, -clockSeconds)
  return end > now ? earliest(later(now, every.active), end) : later(now, every.awaited)
}

/** Schedules the account's sweep for this time, unless it is due earlier. */
export async function pollBy(trx: Transaction, ownerId: string, at: Date | null): Promise<void> {
  if (at === null) return
  await Account.query(trx)
    .findById(ownerId)
    .where((row) => void row.whereNull('lookAt').orWhere('lookAt', '>', at))
    .patch({ lookAt: at })
}
