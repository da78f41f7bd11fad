import type { Transaction } from '../../database/database.ts'
import type { LeftMonth } from '../gateways/gateway.ts'
import { LedgerEntry } from '../ledger-entry.ts'
import type { Payment } from '../payment.ts'
import { tierOf, type TierName } from '../tiers.ts'
import { day, grantsOf, grantsSince, longest, paidUntil } from './granted-months.ts'

/** The credits to take back from a month's grant. */
export interface RefundedMonth {
  credits: number
  grantId: string | null
}

/**
 * The credits to take back for a month that ended early: the same share as of its price. 0 if the month was never
 * granted.
 */
export async function refundOfShare(
  trx: Transaction,
  ownerId: string,
  left: LeftMonth,
  at: Date,
): Promise<RefundedMonth> {
  const month = await monthAround(trx, ownerId, left.tier, at)
  const { centsPerMonth } = tierOf(left.tier)
  const share = Math.floor(((month?.credits ?? 0) * Math.min(left.cents, centsPerMonth)) / centsPerMonth)
  return refundOf(trx, month, share)
}

type PaidMonth = Pick<Payment, 'id' | 'ownerId' | 'tier' | 'createdAt'>

/** Whether the month's credits were taken back with its payment and returned since. */
export async function isReinstated(trx: Transaction, ownerId: string, { grantId }: RefundedMonth): Promise<boolean> {
  return (await LedgerEntry.query(trx).where({ ownerId, kind: 'reinstated', grantId }).resultSize()) > 0
}

/** The credits to take back for a refunded month: all that it granted and that were not taken before. */
export async function refundOfAll(
  trx: Transaction,
  { id, ownerId, tier, createdAt }: PaidMonth,
): Promise<RefundedMonth> {
  const named = await grantsOf(trx, ownerId).findOne({ paymentId: id })
  // A month may have been granted before its payment was known.
  const month = named ?? (tier ? await monthAround(trx, ownerId, tier, createdAt, isNameless) : undefined)
  return refundOf(trx, month, month?.credits ?? 0)
}

const isNameless = ({ paymentId }: LedgerEntry): boolean => paymentId === null

/** The newest grant of the tier whose month includes the time. */
async function monthAround(
  trx: Transaction,
  ownerId: string,
  tier: TierName,
  at: Date,
  isMeant: (grant: LedgerEntry) => boolean = () => true,
): Promise<LedgerEntry | undefined> {
  const grants = await grantsSince(trx, ownerId, at.getTime() - longest - day)
  return grants.filter(isMeant).find((grant) => {
    const until = paidUntil(grant, tier)?.getTime() ?? 0
    return until > at.getTime() && until <= at.getTime() + longest
  })
}

/** At most what is left of the grant after earlier reversals. */
async function refundOf(trx: Transaction, month: LedgerEntry | undefined, credits: number): Promise<RefundedMonth> {
  if (!month) return { credits: 0, grantId: null }
  const { ownerId, grantId } = month
  const before = await LedgerEntry.query(trx).where({ ownerId, grantId }).whereIn('kind', ['refund', 'reinstated'])
  const gone = before.reduce((sum, entry) => sum - entry.credits, 0)
  return { credits: Math.max(0, Math.min(credits, month.credits - gone)), grantId }
}
