import { earliest, later, latest, type Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import { Account } from './account.ts'
import type { Credits } from './credits.ts'
import { Payment } from './payment.ts'
import type { PaymentMethods } from './payment-methods.ts'
import type { Purchases } from './purchases.ts'
import { pollBy } from './poll-gateway.ts'
import { subscriptionOf, timeOf } from './account-status.ts'

/** Seconds until the next try while the balance is low but no purchase is possible, as at the monthly maximum. */
const retrySeconds = 3600

/** The most purchases in a row before other accounts get their turn. */
const atOnce = 10

export interface TopUp {
  enabled: boolean
  /** The balance, in credits, below which a purchase is made. */
  below: number
  credits: number
  /** The most US cents per calendar month (UTC). */
  centsPerMonth: number
}

/** Buys credits automatically when the balance falls below a threshold. */
export function createTopUps(context: {
  database: Database
  clock: Clock
  credits: Credits
  purchases: Purchases
  paymentMethods: PaymentMethods
}) {
  const { database, clock, credits, purchases, paymentMethods } = context

  /** The cost of automatic purchases in the account's current month, including pending ones. */
  async function spent(db: Transaction | Database, account: Account): Promise<number> {
    const now = timeOf(account, clock.now())
    const since = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1))
    const found = await Payment.query(db)
      .where({ ownerId: account.ownerId, purpose: 'top_up' })
      .whereIn('status', ['pending', 'paid', 'refunded'])
      .where('createdAt', '>=', since)
      .sum('cents as cents')
      .castTo<{ cents: string | null }[]>()
    return Number(found[0]?.cents ?? 0)
  }

  async function isDue(trx: Transaction, account: Account): Promise<boolean> {
    const { ownerId, topUpCredits, topUpCentsPerMonth, balance, topUpBelow } = account
    if (!account.topUpEnabled || topUpCredits === null || balance >= (topUpBelow ?? 0)) return false
    const now = timeOf(account, clock.now())
    if (account.isClosing || (account.topUpAfter !== null && account.topUpAfter > now)) return false
    if (subscriptionOf(account)?.status === 'past_due') return false
    if (!(await paymentMethods.hasCard(trx, ownerId))) return false
    return (await spent(trx, account)) + purchases.priceOf(topUpCredits) <= (topUpCentsPerMonth ?? 0)
  }

  /** Writes the payment if one is due, under the account's lock, so that concurrent callers write one. */
  const begin = (ownerId: string): Promise<Payment | undefined> =>
    database.transaction(async (trx) => {
      const account = await credits.locked(ownerId, trx)
      if (await purchases.pending(trx, ownerId)) return undefined
      if (!(await isDue(trx, account))) return undefined
      return purchases.write(trx, account, { credits: account.topUpCredits ?? 0, purpose: 'top_up' })
    })

  async function read(ownerId: string) {
    const account = await credits.current(ownerId)
    const {
      topUpEnabled: enabled,
      topUpBelow: below,
      topUpCredits,
      topUpCentsPerMonth,
      topUpFailures: failures,
    } = account
    return {
      enabled,
      below,
      credits: topUpCredits,
      centsPerMonth: topUpCentsPerMonth,
      failures,
      spentCents: await spent(database, account),
    }
  }

  /**
   * Saves the settings, and buys immediately if the balance is already low. NO_PAYMENT_METHOD if enabled without a
   * card, VALIDATION_ERROR if the monthly maximum is too low for one purchase.
   */
  async function set(ownerId: string, { enabled, below, credits: amount, centsPerMonth }: TopUp) {
    assertEnough(centsPerMonth, purchases.priceOf(amount))
    await database.transaction(async (trx) => {
      await credits.locked(ownerId, trx)
      if (enabled) await paymentMethods.assertCard(trx, ownerId)
      const bounds = { topUpBelow: below, topUpCredits: amount, topUpCentsPerMonth: centsPerMonth }
      await Account.query(trx)
        .findById(ownerId)
        .patch({ topUpEnabled: enabled, ...bounds, topUpFailures: 0, topUpAfter: null })
    })
    await perform(ownerId)
    return read(ownerId)
  }

  /**
   * Finishes pending purchases, and buys until the balance reaches the threshold or a payment is refused. Safe at any
   * time, in several processes.
   */
  async function perform(ownerId: string): Promise<void> {
    for (let bought = 0; bought < atOnce; bought += 1) {
      const payment = (await purchases.pending(database, ownerId)) ?? (await begin(ownerId))
      if (!payment) return
      const { status } = await purchases.send(payment)
      if (status !== 'paid') return
    }
    await database.transaction((trx) => pollBy(trx, ownerId, clock.now()))
  }

  return { read, set, perform }
}

/** When to buy credits for an account with a low balance, by the platform's clock; null if the balance is not low. */
export function topUpAt(account: Account, now: Date): Date | null {
  const { topUpEnabled, topUpBelow, topUpAfter, balance, clockSeconds } = account
  if (!topUpEnabled || balance >= (topUpBelow ?? 0)) return null
  const next = later(now, retrySeconds)
  return topUpAfter === null ? next : earliest(next, latest(now, later(topUpAfter, -clockSeconds)))
}

function assertEnough(centsPerMonth: number, price: number): void {
  const path = 'centsPerMonth'
  const message = `must be at least ${price}, the price of a single purchase`
  const enough = { message: 'The monthly ceiling is too low for a single purchase.', details: [{ path, message }] }
  assertThat(centsPerMonth >= price, 'VALIDATION_ERROR', enough)
}
