import type { Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import { page, type Page, type PageKey, type PageRequest } from '../database/paging.ts'
import { fieldsOf } from '../database/row.ts'
import { idAt, isId } from '../ids.ts'
import type { Account } from './account.ts'
import type { Credits } from './credits.ts'
import type { GatewayPayment } from './gateways/gateway.ts'
import { refundOfAll, isReinstated, refundOfShare, type RefundedMonth } from './ledger/refunded-month.ts'
import { Payment } from './payment.ts'
import type { TopUpFailures } from './top-up-failures.ts'

/** Payments of accounts. The gateway decides their status; here that adds credits or takes them back. */
export function createPayments(context: {
  database: Database
  clock: Clock
  credits: Credits
  topUpFailures: TopUpFailures
}) {
  const { database, clock, credits, topUpFailures } = context

  /** The payment that the gateway reports: by its id there, or by ours if it had none yet. */
  async function known(trx: Transaction, ownerId: string, { reference, key }: GatewayPayment) {
    const found = await Payment.query(trx).findOne({ ownerId, reference })
    if (found ?? (key === null || !isId(key))) return found
    return Payment.query(trx).findOne({ ownerId, id: key })
  }

  /**
   * Records a payment's state at the gateway, and applies its effects once, however often it is reported. The account
   * is locked. Ignores payments that neither the platform nor a subscription made.
   */
  async function settle(trx: Transaction, { ownerId }: Account, reported: GatewayPayment): Promise<void> {
    const before = await known(trx, ownerId, reported)
    if (!before && reported.tier === null) return
    const isKnown = before !== undefined && before.reference !== null && !isNews(before, reported)
    const id = isKnown
      ? before.id
      : await record(trx, before ? fieldsOf(before) : fresh(ownerId, reported), reported, before)
    if (isPaid(reported.status)) await leave(trx, { ownerId, id }, reported, !isPaid(before?.status))
  }

  /** Records the gateway's response to a charge, unless a poll has newer data. The account is locked. */
  async function charged(trx: Transaction, account: Account, { id }: Payment, reported: GatewayPayment): Promise<void> {
    const { ownerId } = account
    if (await Payment.query(trx).findOne({ ownerId, id, status: 'pending' })) await settle(trx, account, reported)
  }

  async function record(trx: Transaction, payment: Fresh, reported: GatewayPayment, before: Payment | undefined) {
    const { status, reference, failure, cents, fromCreditCents } = reported
    const settledAt = status === before?.status ? before.settledAt : settledAtOf(status)
    const timesBack = payment.timesBack + (status === 'refunded' && before?.status !== 'refunded' ? 1 : 0)
    await write(trx, { ...payment, status, reference, failure, cents, fromCreditCents, settledAt, timesBack }, before)
    return payment.id
  }

  const settledAtOf = (status: Payment['status']): Date | null => (status === 'pending' ? null : clock.now())

  /** Records a refused payment that the gateway did not store. The account is locked. */
  async function refuse(trx: Transaction, { ownerId, id }: Payment, failure: string): Promise<void> {
    const before = await Payment.query(trx).findOne({ ownerId, id, status: 'pending' })
    if (before) await write(trx, { ...fieldsOf(before), status: 'failed', failure, settledAt: clock.now() }, before)
  }

  async function write(trx: Transaction, { id, ownerId, ...facts }: Whole, before: Payment | undefined): Promise<void> {
    if (before) await Payment.query(trx).findById([ownerId, id]).patch(facts)
    else await Payment.query(trx).insert({ id, ownerId, ...facts })
    if (before?.status === facts.status) return
    if (before?.status === 'refunded') await credits.reinstate(trx, ownerId, { paymentId: id, turn: facts.timesBack })
    else await follow(trx, { id, ownerId, ...facts })
  }

  /** Adds bought credits, and takes back refunded ones, once per refund. */
  async function follow(trx: Transaction, payment: Whole): Promise<void> {
    const { id: paymentId, ownerId, status, purpose, credits: bought, failure, timesBack: turn } = payment
    if (bought !== null && isPaid(status)) {
      const kind = purpose === 'top_up' ? 'top_up' : 'purchase'
      await credits.grant(trx, ownerId, { kind, credits: bought, paymentId })
      if (status === 'refunded') await credits.takeBack(trx, ownerId, { credits: bought, paymentId, turn })
    }
    if (purpose === 'subscription' && status === 'refunded')
      await takeBack(trx, payment, await refundOfAll(trx, payment), turn)
    if (purpose === 'top_up' && status === 'failed') await topUpFailures.count(trx, ownerId, failure)
    if (purpose === 'top_up' && status === 'paid') await topUpFailures.forget(trx, ownerId)
    if (purpose === 'top_up' && status === 'refunded') await topUpFailures.stop(trx, ownerId)
  }

  /**
   * A month that ends early loses its share of credits. Otherwise a user could buy it, use the credits and cancel for a
   * refund.
   */
  async function leave(trx: Transaction, of: Of, { left, createdAt }: GatewayPayment, isNew: boolean): Promise<void> {
    if (!left) return
    const share = await refundOfShare(trx, of.ownerId, left, createdAt)
    // A refunded month had no value left until the refund was reversed.
    if (isNew || (await isReinstated(trx, of.ownerId, share))) await takeBack(trx, of, share, null)
  }

  async function takeBack(trx: Transaction, { ownerId, id: paymentId }: Of, back: RefundedMonth, turn: number | null) {
    if (back.credits > 0) await credits.takeBack(trx, ownerId, { ...back, paymentId, turn })
  }

  const list = (ownerId: string, request: PageRequest): Promise<Page<Payment>> =>
    page(Payment.query(database), { list: 'payments', key, time: 'createdAt', of: { ownerId }, ...request })

  return { settle, charged, refuse, list }
}

export type Payments = ReturnType<typeof createPayments>

/** The primary key includes the owner. */
const key: PageKey<Payment> = {
  column: 'id',
  read: (text) => (isId(text) ? text : undefined),
  write: ({ id }) => id,
}

type Of = Pick<Payment, 'ownerId' | 'id'>
type Whole = ReturnType<typeof fieldsOf<Payment>>
type Fresh = Omit<Whole, 'status' | 'reference' | 'failure' | 'cents' | 'fromCreditCents' | 'settledAt'>

/** Whether it was ever paid, including refunded ones. */
const isPaid = (status: Payment['status'] | undefined): boolean => status === 'paid' || status === 'refunded'

/**
 * A paid payment never becomes unpaid. It may be refunded, and become paid again: a dispute is won, or a refund fails.
 */
const isLater = (before: Payment['status'], reported: Payment['status']): boolean =>
  order.indexOf(reported) > order.indexOf(before) || (before === 'refunded' && reported === 'paid')

/** A void payment returns its credit, although its status stays `failed`. */
const isNews = (before: Payment, reported: GatewayPayment): boolean =>
  isLater(before.status, reported.status) ||
  (before.status === reported.status && before.fromCreditCents !== reported.fromCreditCents)

const order = ['pending', 'failed', 'paid', 'refunded'] as const satisfies readonly Payment['status'][]

const fresh = (ownerId: string, { tier, createdAt }: GatewayPayment) => ({
  id: idAt(createdAt),
  ownerId,
  purpose: 'subscription' as const,
  tier,
  credits: null,
  requestKey: null,
  timesBack: 0,
  createdAt,
})
