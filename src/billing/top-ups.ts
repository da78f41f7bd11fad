import { earliest, later, latest, type Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import { Account } from './account.ts'
import type { Credits } from './credits.ts'
import { Payment } from './payment.ts'
import type { PaymentMethods } from './payment-methods.ts'
import type { Purchases } from './purchases.ts'
import { pollBy } from './poll-gateway.ts'
import { subscriptionOf, timeOf } from './standing.ts'

/** Seconds until it is considered again while the balance is below and nothing could be bought, as at the ceiling of the month. */
const again = 3600

/** So many in one go at most; then other accounts have their turn. */
const atOnce = 10

/** How credits are bought automatically. */
export interface TopUp {
  enabled: boolean
  /** Bought once the balance is below; in credits. */
  below: number
  credits: number
  /** At most so many cents in a calendar month (UTC). */
  centsPerMonth: number
}

/** Buys credits by itself when the balance falls below a threshold. */
export function createTopUps(context: {
  database: Database
  clock: Clock
  credits: Credits
  purchases: Purchases
  paymentMethods: PaymentMethods
}) {
  const { database, clock, credits, purchases, paymentMethods } = context

  /** What automatic purchases have cost in the account's present month, those in progress included. */
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

  /** Writes the payment if one is due, under the account's lock: of many that notice, one does. */
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
   * Sets it, and buys at once if the balance is below already. NO_PAYMENT_METHOD if it is switched on without a card,
   * VALIDATION_ERROR if the ceiling is too low for a single purchase.
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
   * Finishes purchases that are in progress, and buys until the balance is not below any more, or a payment is refused. Safe
   * at any moment, in several processes.
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

/** When credits are to be bought for an account whose balance is below, by the platform's clock; null if it is not. */
export function topUpAt(account: Account, now: Date): Date | null {
  const { topUpEnabled, topUpBelow, topUpAfter, balance, clockSeconds } = account
  if (!topUpEnabled || balance >= (topUpBelow ?? 0)) return null
  const next = later(now, again)
  return topUpAfter === null ? next : earliest(next, latest(now, later(topUpAfter, -clockSeconds)))
}

function assertEnough(centsPerMonth: number, price: number): void {
  const path = 'centsPerMonth'
  const message = `must be at least ${price}, the price of one such purchase`
  const enough = { message: 'The monthly ceiling is too low for a single purchase.', details: [{ path, message }] }
  assertThat(centsPerMonth >= price, 'VALIDATION_ERROR', enough)
}
