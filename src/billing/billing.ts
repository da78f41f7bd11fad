import type { Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import { CodedError } from '../errors.ts'
import type { Due } from '../runs/due.ts'
import { Account, standingOf, requireCredits, requireGoodStanding, subscriptionOf, type Standing } from './account.ts'
import { createCredits } from './credits.ts'
import type { Gateway } from './gateway.ts'
import { createPaymentMethods } from './payment-methods.ts'
import { stepCredits } from './prices.ts'
import { isPaidTier, paidTierNames, requireFeature, tierOf, tiersWith, type PaidTierName } from './tiers.ts'

/** What owners may do and have paid for: tier, subscription, credits. An owner is a user for now. */
export function createBilling(context: { database: Database; clock: Clock; gateway: Gateway; due: Due }) {
  const { database, clock, gateway, due } = context
  const credits = createCredits(context)
  const { toCharge, ...paymentMethods } = createPaymentMethods({ ...context, credits })

  /** The owner's standing; one query by primary key. The month's first look also makes the month's grant. */
  const account = async (userId: string, trx?: Transaction): Promise<Standing> =>
    standingOf(await credits.current(userId, trx), clock.now())

  /**
   * Pays for a month of a tier, from now. The tier one has already is paid again only when past due, so that repeating a
   * request is harmless. VALIDATION_ERROR, NO_PAYMENT_METHOD, PAYMENT_FAILED (nothing changes then).
   */
  async function subscribe(userId: string, request: { tier: string }): Promise<Standing> {
    const tier = readPaidTier(request.tier)
    const before = await credits.current(userId)
    if (isActive(before, tier)) return standingOf(before, clock.now())
    const { id, reference } = await toCharge(userId)
    // No lock is held while the gateway is asked. Parallel requests for one tier have one key, thus pay once.
    const idempotencyKey = [userId, tier, before.currentPeriodEnd?.toISOString() ?? 'first', id].join('/')
    await gateway.charge({ reference, cents: tierOf(tier).centsPerMonth, idempotencyKey })
    return database.transaction((trx) => begin(userId, tier, trx))
  }

  /** Starts the paid month, unless a parallel request for the same payment has started it. */
  async function begin(userId: string, tier: PaidTierName, trx: Transaction): Promise<Standing> {
    const row = await credits.locked(userId, trx)
    if (!isActive(row, tier)) {
      const currentPeriodEnd = monthAfter(clock.now())
      await Account.query(trx).findById(userId).patch({ tier, currentPeriodEnd })
      await due.owner(trx, userId)
    }
    return account(userId, trx)
  }

  const isActive = (row: Account, tier: PaidTierName): boolean =>
    row.tier === tier && subscriptionOf(row, clock.now())?.status === 'active'

  return {
    account,
    subscribe,
    ...paymentMethods,
    ledger: credits.ledger,
    chargeStep: credits.chargeStep,
    requireFeature,
    tiersWith,
    requireGoodStanding,
    requireCredits,
    stepCredits,
  }
}

export type Billing = ReturnType<typeof createBilling>

function readPaidTier(name: string): PaidTierName {
  if (isPaidTier(name)) return name
  throw new CodedError('VALIDATION_ERROR', {
    message: 'This tier cannot be subscribed to.',
    details: [{ path: 'tier', message: `Must be one of ${paidTierNames.join(', ')}.` }],
  })
}

/** The same day and time of the next month (UTC), or the month's last day: 31 January leads to 28 February. */
export function monthAfter(start: Date): Date {
  const end = new Date(start)
  end.setUTCMonth(end.getUTCMonth() + 1)
  if (end.getUTCDate() !== start.getUTCDate()) end.setUTCDate(0)
  return end
}
