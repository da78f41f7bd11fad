import type { Transaction } from '../../database/database.ts'
import type { Account } from '../account.ts'
import type { LeftMonth } from '../gateways/gateway.ts'
import { LedgerEntry } from '../ledger-entry.ts'
import { Payment } from '../payment.ts'
import { tierOf, type TierName } from '../tiers.ts'
import { monthOf } from './forecast.ts'

/* Credits come with months: of the free tier with each calendar month (UTC), of the others with each month that is paid. */

type Of = Pick<Account, 'tier' | 'subscription' | 'currentPeriodEnd'>

/**
 * The month that an account is in, as its grant names it: `2026-11/free`, or until when the month is paid and its tier
 * (`2026-12-15T10:00:00.000Z/pro`). Of a subscription that no gateway knows, nobody says which months are paid: it goes by
 * the calendar.
 */
export const periodOf = (account: Of, now: Date): string =>
  `${endOfPaid(account)?.toISOString() ?? monthOf(now)}/${account.tier}`

/** The end of the month that is paid; null for an account that goes by the calendar. */
const endOfPaid = ({ tier, subscription, currentPeriodEnd }: Of): Date | null =>
  tier === 'free' || subscription === null ? null : currentPeriodEnd

/** Until when the month was paid, of a grant of the tier; undefined of others. */
function paidUntil({ period }: LedgerEntry, tier: TierName): Date | undefined {
  const found = new RegExp(`^(.*Z)/${tier}(/\\d+)?$`).exec(period ?? '')
  return found?.[1] === undefined ? undefined : new Date(found[1])
}

const day = 86_400_000
/** No month is longer. */
const longest = 31 * day

/**
 * What the grant of the month that an account is in is to be called; undefined if it was made. A month that was left and begun
 * again within a tick of the gateway's clock ends at the same time: then it is numbered (`2026-12-15T10:00:00.000Z/pro/2`).
 */
export async function newPeriod(trx: Transaction, account: Account, period: string): Promise<string | undefined> {
  const made = await grantsOf(trx, account.ownerId).where('period', 'like', `${period}%`).orderBy('id', 'desc')
  const [last] = made
  const end = endOfPaid(account)
  if (!last) return end && (await isGrantedFormerly(trx, account, end)) ? undefined : period
  return end && (await wentBackSince(trx, last)) ? `${period}/${made.length + 1}` : undefined
}

const grantsOf = (trx: Transaction, ownerId: string) => LedgerEntry.query(trx).where({ ownerId, kind: 'grant' })

const grantsSince = (trx: Transaction, ownerId: string, since: number) =>
  grantsOf(trx, ownerId).where('createdAt', '>=', new Date(since)).orderBy('createdAt', 'desc')

/** Whether a month has been left since. */
async function wentBackSince(trx: Transaction, { ownerId, id }: LedgerEntry): Promise<boolean> {
  const back = await LedgerEntry.query(trx)
    .where({ ownerId, kind: 'refund' })
    .where('id', '>', id)
    .whereIn('paymentId', Payment.query(trx).select('id').where({ ownerId, purpose: 'subscription' }))
    .select('id')
    .limit(1)
  return back.length > 0
}

/** Whether a process of the release before has granted a paid month: it did so by the calendar, and may still run. */
async function isGrantedFormerly(trx: Transaction, { ownerId, tier }: Account, end: Date): Promise<boolean> {
  const grants = await grantsSince(trx, ownerId, end.getTime() - longest)
  return grants.some(({ period }) => new RegExp(`^\\d{4}-\\d\\d/${tier}$`).test(period ?? ''))
}

/**
 * What goes back with a month that was left early: the same share of what it has granted as of its price. Nothing of a month
 * that was never granted.
 */
export async function creditsOf(trx: Transaction, ownerId: string, left: LeftMonth, at: Date): Promise<number> {
  const grants = await grantsSince(trx, ownerId, at.getTime() - longest - day)
  const month = grants.find((grant) => {
    const until = paidUntil(grant, left.tier)?.getTime() ?? 0
    return until > at.getTime() && until <= at.getTime() + longest
  })
  const { centsPerMonth } = tierOf(left.tier)
  return Math.floor(((month?.credits ?? 0) * Math.min(left.cents, centsPerMonth)) / centsPerMonth)
}
