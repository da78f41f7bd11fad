import { later, type Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import { page, type Page, type PageKey, type PageRequest } from '../database/paging.ts'
import { fieldsOf } from '../database/row.ts'
import { idAt, isId } from '../ids.ts'
import type { Account } from './account.ts'
import type { Credits } from './credits.ts'
import type { GatewayPayment } from './gateways/gateway.ts'
import { Payment } from './payment.ts'
import { tierOf } from './tiers.ts'
import type { TopUpFailures } from './top-up-failures.ts'

/** What accounts have paid. The gateway says what became of each payment; here that gives credits, or takes them back. */
export function createPayments(context: {
  database: Database
  clock: Clock
  credits: Credits
  topUpFailures: TopUpFailures
}) {
  const { database, clock, credits, topUpFailures } = context

  /** The payment that the gateway tells of: by its name there, or by ours if it had none yet. */
  async function known(trx: Transaction, ownerId: string, { reference, key }: GatewayPayment) {
    const found = await Payment.query(trx).findOne({ ownerId, reference })
    if (found ?? (key === null || !isId(key))) return found
    return Payment.query(trx).findOne({ ownerId, id: key })
  }

  /**
   * Records what became of a payment, and what follows from it, once however often it is told. The account is locked.
   * Payments that neither the platform nor a subscription has made are left out.
   */
  async function settle(trx: Transaction, { ownerId }: Account, told: GatewayPayment): Promise<void> {
    const before = await known(trx, ownerId, told)
    if (!before && told.tier === null) return
    if (before && before.reference !== null && !isLater(before.status, told.status)) return
    const { status, reference, failure, cents } = told
    const payment = before ? fieldsOf(before) : fresh(ownerId, told)
    const settledAt = status === 'pending' ? null : clock.now()
    await write(trx, { ...payment, status, reference, failure, cents, settledAt }, before)
  }

  /** Records that a payment was refused, of which the gateway has kept nothing. The account is locked. */
  async function refuse(trx: Transaction, { ownerId, id }: Payment, failure: string): Promise<void> {
    const before = await Payment.query(trx).findOne({ ownerId, id, status: 'pending' })
    if (before) await write(trx, { ...fieldsOf(before), status: 'failed', failure, settledAt: clock.now() }, before)
  }

  async function write(trx: Transaction, { id, ownerId, ...facts }: Whole, before: Payment | undefined): Promise<void> {
    if (before) await Payment.query(trx).findById([ownerId, id]).patch(facts)
    else await Payment.query(trx).insert({ id, ownerId, ...facts })
    if (before?.status !== facts.status) await follow(trx, { id, ownerId, ...facts })
  }

  /** Gives what was bought, and takes back what was paid back. The ledger has one entry of each kind for a payment. */
  async function follow(trx: Transaction, payment: Whole): Promise<void> {
    const { id: paymentId, ownerId, status, purpose, credits: bought, failure } = payment
    const refund = (amount: number) => credits.takeBack(trx, ownerId, { credits: amount, paymentId })
    if (bought !== null && (status === 'paid' || status === 'refunded')) {
      const kind = purpose === 'top_up' ? 'top_up' : 'purchase'
      await credits.grant(trx, ownerId, { kind, credits: bought, paymentId })
      if (status === 'refunded') await refund(bought)
    }
    const left = status === 'paid' && payment.cents < 0 ? await creditsFor(trx, payment) : 0
    if (left > 0) await refund(left)
    if (purpose === 'top_up' && status === 'failed') await topUpFailures.count(trx, ownerId, failure)
    if (purpose === 'top_up' && status === 'paid') await topUpFailures.forget(trx, ownerId)
  }

  /** Newest first. */
  const list = (ownerId: string, request: PageRequest): Promise<Page<Payment>> =>
    page(Payment.query(database), { list: 'payments', key, time: 'createdAt', of: { ownerId }, ...request })

  return { settle, refuse, list }
}

export type Payments = ReturnType<typeof createPayments>

/** The primary key has the owner, too. */
const key: PageKey<Payment> = {
  column: 'id',
  read: (text) => (isId(text) ? text : undefined),
  write: ({ id }) => id,
}

type Whole = ReturnType<typeof fieldsOf<Payment>>

/** Whether the news is newer. What is paid does not become unpaid, whatever comes late. */
const isLater = (before: Payment['status'], told: Payment['status']): boolean =>
  order.indexOf(told) > order.indexOf(before)

const order = ['pending', 'failed', 'paid', 'refunded'] as const satisfies readonly Payment['status'][]

const fresh = (ownerId: string, { tier, createdAt }: GatewayPayment) => ({
  id: idAt(createdAt),
  ownerId,
  purpose: 'subscription' as const,
  tier,
  credits: null,
  requestKey: null,
  createdAt,
})

/**
 * Of money that is credited because a month was left early: the same share of what paid tiers have granted within a month,
 * which goes back, too. Otherwise a month could be bought, used up and given back.
 */
async function creditsFor(trx: Transaction, { ownerId, cents, tier, createdAt }: Whole): Promise<number> {
  if (tier === null) return 0
  const bindings = { ownerId, since: later(createdAt, -31 * 86_400) }
  const { rows } = await trx.raw<{ rows: [{ credits: number }] }>(grantedStatement, bindings)
  return Math.max(0, Math.floor((rows[0].credits * -cents) / tierOf(tier).centsPerMonth))
}

/** Less what has gone back already. */
const grantedStatement = `
  select coalesce(sum(l.credits), 0)::float8 as credits
    from ledger_entries l left join payments p on p.owner_id = l.owner_id and p.id = l.payment_id
   where l.owner_id = :ownerId and l.created_at > :since
     and ((l.kind = 'grant' and l.period not like '%/free') or (l.kind = 'refund' and p.purpose = 'subscription'))`
