import type { Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import { fieldsOf } from '../database/row.ts'
import { page, type Page, type PageRequest } from '../database/paging.ts'
import { idAt, isId } from '../ids.ts'
import type { Account } from './account.ts'
import type { Credits } from './credits.ts'
import type { GatewayPayment } from './gateways/gateway.ts'
import { Payment } from './payment.ts'
import { tierOf } from './tiers.ts'

/** What accounts have paid. The gateway says what became of each payment; here that gives credits, or takes them back. */
export function createPayments(context: { database: Database; clock: Clock; credits: Credits }) {
  const { database, clock, credits } = context

  /** The payment that the gateway tells of: by its name there, or by ours if it had none yet. */
  async function known(trx: Transaction, ownerId: string, { reference, key }: GatewayPayment) {
    const found = await Payment.query(trx).findOne({ reference })
    if (found ?? (key === null || !isId(key))) return found
    return Payment.query(trx).findOne({ ownerId, id: key })
  }

  /**
   * Records what became of a payment, and what follows from it, once however often it is told. The account is locked.
   * Payments that neither the platform nor a subscription has made are left out.
   */
  async function settle(trx: Transaction, account: Account, told: GatewayPayment): Promise<void> {
    const { ownerId } = account
    const before = await known(trx, ownerId, told)
    if (!before && told.tier === null) return
    if (before?.status === told.status && before.reference === told.reference) return
    const { status, reference, failure, cents } = told
    const settledAt = status === 'pending' ? null : clock.now()
    const facts = { status, reference, failure, cents, settledAt }
    const payment = before ? fieldsOf(before) : fresh(ownerId, told)
    if (before) await Payment.query(trx).findById([ownerId, before.id]).patch(facts)
    else await Payment.query(trx).insert({ ...payment, ...facts })
    await follow(trx, { ...payment, ...facts })
  }

  /** Gives what was bought, and takes back what was paid back. The ledger has one entry of each kind for a payment. */
  async function follow(trx: Transaction, payment: Settled): Promise<void> {
    const { id: paymentId, ownerId, status, purpose, credits: bought } = payment
    const refund = (amount: number) => credits.grant(trx, ownerId, { kind: 'refund', credits: -amount, paymentId })
    if (bought !== null && (status === 'paid' || status === 'refunded')) {
      const kind = purpose === 'top_up' ? 'top_up' : 'purchase'
      await credits.grant(trx, ownerId, { kind, credits: bought, paymentId })
      if (status === 'refunded') await refund(bought)
    }
    const left = status === 'paid' ? creditsFor(payment) : 0
    if (left > 0) await refund(left)
  }

  /** Newest first. */
  const list = (ownerId: string, request: PageRequest): Promise<Page<Payment>> =>
    page(Payment.query(database), { list: 'payments', time: 'createdAt', of: { ownerId }, ...request })

  return { settle, list }
}

export type Payments = ReturnType<typeof createPayments>

type Settled = Pick<Payment, 'id' | 'ownerId' | 'purpose' | 'status' | 'credits' | 'cents' | 'tier'>

const fresh = (ownerId: string, { tier, createdAt }: GatewayPayment) => ({
  id: idAt(createdAt),
  ownerId,
  purpose: 'subscription' as const,
  tier,
  credits: null,
  createdAt,
})

/**
 * Of money that is credited because a month was left early: the same share of the month's credits, which go back, too.
 * Otherwise a month could be bought, used up and given back.
 */
function creditsFor({ cents, tier }: Pick<Payment, 'cents' | 'tier'>): number {
  if (cents >= 0 || tier === null) return 0
  const { creditsPerMonth, centsPerMonth } = tierOf(tier)
  return Math.floor((-cents * creditsPerMonth) / centsPerMonth)
}
