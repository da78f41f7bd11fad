import type { Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import { assertThat, CodedError } from '../errors.ts'
import type { Due } from '../runs/due.ts'
import { Account } from './account.ts'
import type { Credits } from './credits.ts'
import type { Gateway } from './gateway.ts'
import type { PaymentMethods } from './payment-methods.ts'
import { standingOf, subscriptionOf, timeOf, type Standing } from './standing.ts'
import { isPaidTier, paidTierNames, tierOf, type PaidTierName } from './tiers.ts'

/** Paid months of tiers. */
export function createSubscriptions(context: {
  database: Database
  clock: Clock
  gateway: Gateway
  due: Due
  credits: Credits
  paymentMethods: PaymentMethods
}) {
  const { database, clock, gateway, due, credits, paymentMethods } = context

  /**
   * Pays for a month of a tier, from now. The present tier is paid again only if past due, so a request is safe to
   * repeat; if it was cancelled, it is not any more. VALIDATION_ERROR, NO_PAYMENT_METHOD, PAYMENT_FAILED (then nothing changes).
   */
  async function subscribe(ownerId: string, request: { tier: string }): Promise<Standing> {
    const tier = readPaidTier(request.tier)
    const before = await credits.current(ownerId)
    const kept = isActive(before, tier) ? await database.transaction((trx) => keep(ownerId, tier, trx)) : undefined
    if (kept) return kept
    const { id, reference } = await paymentMethods.toCharge(ownerId)
    // No lock is held during the charge. Parallel requests for one tier share a key, so they pay once.
    const idempotencyKey = [ownerId, tier, before.currentPeriodEnd?.toISOString() ?? 'first', id].join('/')
    await gateway.charge({ reference, cents: tierOf(tier).centsPerMonth, idempotencyKey })
    return database.transaction((trx) => begin(ownerId, tier, trx))
  }

  /** Takes a cancellation back; undefined if the month has ended meanwhile, so that the next one has to be paid. */
  async function keep(ownerId: string, tier: PaidTierName, trx: Transaction): Promise<Standing | undefined> {
    const account = await credits.locked(ownerId, trx)
    if (!isActive(account, tier)) return undefined
    if (account.cancelledAt) await Account.query(trx).findById(ownerId).patch({ cancelledAt: null })
    return standingOf(await credits.current(ownerId, trx), clock.now())
  }

  /** Starts the paid month, unless a parallel request for the same payment did. The subscription is not cancelled. */
  async function begin(ownerId: string, tier: PaidTierName, trx: Transaction): Promise<Standing> {
    const account = await credits.locked(ownerId, trx)
    if (!isActive(account, tier)) {
      const currentPeriodEnd = monthAfter(timeOf(account, clock.now()))
      await Account.query(trx).findById(ownerId).patch({ tier, currentPeriodEnd, cancelledAt: null })
      await due.owner(trx, ownerId)
    } else if (account.cancelledAt) await Account.query(trx).findById(ownerId).patch({ cancelledAt: null })
    return standingOf(await credits.current(ownerId, trx), clock.now())
  }

  /**
   * Returns to the free tier: at the end of the month that is paid, or at once if none is. Nothing is paid back. Safe to
   * repeat. NOT_FOUND for an owner of the free tier.
   */
  async function cancel(ownerId: string): Promise<Standing> {
    return database.transaction(async (trx) => {
      const account = await credits.locked(ownerId, trx)
      const subscription = subscriptionOf(account, timeOf(account, clock.now()))
      assertThat(subscription, 'NOT_FOUND', { message: 'There is no subscription: your tier is free.' })
      if (subscription.status === 'past_due') await credits.makeFree(account, trx)
      else if (!account.cancelledAt) await Account.query(trx).findById(ownerId).patch({ cancelledAt: clock.now() })
      return standingOf(await credits.current(ownerId, trx), clock.now())
    })
  }

  const isActive = (account: Account, tier: PaidTierName): boolean =>
    account.tier === tier && subscriptionOf(account, timeOf(account, clock.now()))?.status === 'active'

  return { subscribe, cancel }
}

function readPaidTier(name: string): PaidTierName {
  if (isPaidTier(name)) return name
  throw new CodedError('VALIDATION_ERROR', {
    message: 'This tier cannot be subscribed to.',
    details: [{ path: 'tier', message: `Must be one of ${paidTierNames.join(', ')}.` }],
  })
}

/** The same day and time of the next month (UTC), or that month's last day: 31 January becomes 28 February. */
export function monthAfter(start: Date): Date {
  const end = new Date(start)
  end.setUTCMonth(end.getUTCMonth() + 1)
  if (end.getUTCDate() !== start.getUTCDate()) end.setUTCDate(0)
  return end
}
