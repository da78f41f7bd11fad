import type { Transaction } from '../../database/database.ts'
import type { BillingMode } from '../../config/billing-mode.ts'
import type { Account } from '../account.ts'
import { LedgerEntry } from '../ledger-entry.ts'
import { Payment } from '../payment.ts'
import type { TierName } from '../tiers.ts'
import { monthOf } from './forecast.ts'

/* Monthly credits. The free tier grants by calendar month (UTC), the others by paid month. */

type Of = Pick<Account, 'tier' | 'givenTier' | 'currentPeriodEnd'>

/**
 * The account's current month as its grant names it: `2026-11/free`, also with a given tier; `2026-11/off` without
 * tiers; or the end of the paid month and its tier (`2026-12-15T10:00:00.000Z/pro`).
 */
export function periodOf(account: Of, now: Date, mode: BillingMode): string {
  if (mode === 'off') return `${monthOf(now)}/off`
  const end = endOfPaid(account)
  return end ? `${end.toISOString()}/${account.tier}` : `${monthOf(now)}/${account.givenTier ?? 'free'}`
}

/** The end of the paid month; null for the free tier, which uses calendar months. */
const endOfPaid = ({ tier, currentPeriodEnd }: Of): Date | null => (tier === 'free' ? null : currentPeriodEnd)

/** The end of the paid month of a grant of the tier; undefined for other grants. */
export function paidUntil({ period }: LedgerEntry, tier: TierName): Date | undefined {
  const found = new RegExp(`^(.*Z)/${tier}(/\\d+)?$`).exec(period ?? '')
  return found?.[1] === undefined ? undefined : new Date(found[1])
}

export const day = 86_400_000
/** The longest month. */
export const longest = 31 * day
const shortest = 28 * day

/** The period of a month's grant, and the payment that started the month, if known. */
export type NewMonth = Pick<LedgerEntry, 'period' | 'paymentId'>

/**
 * The grant for the account's current month; undefined if it was already made, or the month was refunded before. Two
 * months of one tier may end at the same millisecond; then the second is numbered (`2026-12-15T10:00:00.000Z/pro/2`).
 */
export async function newMonth(trx: Transaction, account: Account, period: string): Promise<NewMonth | undefined> {
  const made = await grantsOf(trx, account.ownerId).where('period', 'like', `${period}%`).orderBy('id', 'desc')
  const [last] = made
  const end = endOfPaid(account)
  if (end === null) return last ? undefined : { period, paymentId: null }
  const payment = await newPaymentOf(trx, account, end)
  if (payment?.status === 'refunded') return undefined
  const paymentId = payment?.id ?? null
  if (!last) return { period, paymentId }
  const isPaidAnew = last.paymentId !== null && paymentId !== null
  if (!isPaidAnew && !(await wentBackSince(trx, last))) return undefined
  return { period: `${period}/${made.length + 1}`, paymentId }
}

/** The payment that started the month with this end, unless its credits were granted. */
const newPaymentOf = (trx: Transaction, { ownerId, tier }: Account, end: Date) =>
  Payment.query(trx)
    .where({ ownerId, purpose: 'subscription', tier })
    .where('cents', '>=', 0)
    .whereIn('status', ['paid', 'refunded'])
    .whereBetween('createdAt', [new Date(end.getTime() - longest - day), new Date(end.getTime() - shortest + day)])
    .whereNotExists(LedgerEntry.query(trx).where({ kind: 'grant' }).whereColumn('paymentId', 'payments.id'))
    .orderBy([
      { column: 'createdAt', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .first()

export const grantsOf = (trx: Transaction, ownerId: string) => LedgerEntry.query(trx).where({ ownerId, kind: 'grant' })

export const grantsSince = (trx: Transaction, ownerId: string, since: number) =>
  grantsOf(trx, ownerId).where('createdAt', '>=', new Date(since)).orderBy('createdAt', 'desc')

/** Whether the month has since been left rather than refunded. */
async function wentBackSince(trx: Transaction, { ownerId, id, paymentId }: LedgerEntry): Promise<boolean> {
  const back = await LedgerEntry.query(trx)
    .where({ ownerId, kind: 'refund' })
    .where('id', '>', id)
    .whereIn('paymentId', monthsPaid(trx, ownerId))
    .whereNot('paymentId', paymentId ?? noPayment)
    .select('id')
    .limit(1)
  return back.length > 0
}

const monthsPaid = (trx: Transaction, ownerId: string) =>
  Payment.query(trx).select('id').where({ ownerId, purpose: 'subscription' })

/** An id that no payment has. */
const noPayment = '00000000-0000-0000-0000-000000000000'
