import { later, type Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import { regardless } from '../database/while-permitted.ts'
import { assertThat, CodedError, isCoded } from '../errors.ts'
import { idAt } from '../ids.ts'
import type { Account } from './account.ts'
import type { Credits } from './credits.ts'
import type { Gateway } from './gateways/gateway.ts'
import { mayResend, mayStillArrive } from './resend-window.ts'
import { pollBy, type PollGateway } from './poll-gateway.ts'
import { Payment } from './payment.ts'
import type { PaymentMethods } from './payment-methods.ts'
import type { Payments } from './payments.ts'
import { sweptAfter } from './gateway-requests.ts'
import { requirePaidSubscription, subscriptionOf, timeOf } from './account-status.ts'

/** Purchases are whole hundreds of credits. */
export const purchaseBounds = { least: 100, most: 1_000_000, step: 100 } as const

/** How often a purchase waits for another purchase of the account. */
const mostTurns = 20

interface Wanted {
  credits: number
  /** The client's idempotency key: one key buys once. */
  requestKey?: string | undefined
}

/** Purchases of credits: written as a pending payment, charged under its id, and granted once paid. */
export function createPurchases(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'centsPerHundredCredits'>
  gateway: Gateway
  credits: Credits
  polling: PollGateway
  payments: Payments
  paymentMethods: PaymentMethods
}) {
  const { database, clock, config, gateway, credits, polling, payments, paymentMethods } = context

  const priceOf = (amount: number): number => Math.ceil((amount / 100) * config.centsPerHundredCredits)

  /** Writes a pending payment. The account is locked and has no other pending one. */
  async function write(trx: Transaction, account: Account, wanted: Wanted & Pick<Payment, 'purpose'>) {
    const { ownerId } = account
    const createdAt = timeOf(account, clock.now())
    const row = Payment.fromJson({
      // By the account's clock, like subscription payments, so the list is in order.
      id: idAt(createdAt),
      ownerId,
      purpose: wanted.purpose,
      status: 'pending',
      cents: priceOf(wanted.credits),
      fromCreditCents: 0,
      credits: wanted.credits,
      tier: null,
      reference: null,
      requestKey: wanted.requestKey ?? null,
      failure: null,
      timesBack: 0,
      createdAt,
      settledAt: null,
    })
    await Payment.query(trx).insert(row)
    await pollBy(trx, ownerId, later(clock.now(), sweptAfter))
    return row
  }

  const pending = (db: Transaction | Database, ownerId: string) =>
    Payment.query(db).where({ ownerId, status: 'pending' }).whereNotNull('credits').orderBy('id').first()

  const begin = (ownerId: string, wanted: Wanted): Promise<{ payment: Payment; isOwn: boolean }> =>
    database.transaction(async (trx) => {
      const account = await credits.locked(ownerId, trx)
      const { requestKey } = wanted
      const before = requestKey === undefined ? undefined : await Payment.query(trx).findOne({ ownerId, requestKey })
      if (before) return { payment: before, isOwn: assertSame(before, wanted) }
      const other = await pending(trx, ownerId)
      if (other) return { payment: other, isOwn: false }
      requirePaidSubscription({ subscription: subscriptionOf(account) })
      await paymentMethods.assertCard(trx, ownerId)
      return { payment: await write(trx, account, { ...wanted, purpose: 'credits' }), isOwn: true }
    })

  const read = ({ ownerId, id }: Payment) => Payment.query(database).findById([ownerId, id]).throwIfNotFound()

  async function charge(payment: Payment): Promise<void> {
    const { ownerId, id, cents } = payment
    const customer = await polling.customerOf(ownerId)
    const result = await gateway.pay({ customer, cents, key: id }).catch((error: unknown) => {
      if (isCoded(error, 'PAYMENT_FAILED')) return error
      throw error
    })
    const record = (work: (trx: Transaction) => Promise<void>) => regardless(() => database.transaction(work))
    await record(async (trx) => {
      const account = await credits.locked(ownerId, trx)
      if (result instanceof CodedError) await payments.refuse(trx, payment, result.message)
      else await payments.charged(trx, account, payment, result)
    })
  }

  /** Polls the result of a payment that is no longer resent. If the gateway does not know it, it has failed. */
  async function giveUp(payment: Payment, now: Date): Promise<void> {
    await polling.poll(payment.ownerId)
    const { reference } = await read(payment)
    if (reference !== null || mayStillArrive(payment.createdAt, now)) return
    await database.transaction(async (trx) => {
      await credits.locked(payment.ownerId, trx)
      await payments.refuse(trx, payment, 'The payment provider did not process the payment.')
    })
  }

  /** Charges a pending payment or finds its result. It stays pending if the gateway does not know yet. */
  async function send(payment: Payment): Promise<Payment> {
    if (payment.status === 'pending') {
      const now = timeOf(await credits.current(payment.ownerId), clock.now())
      await (mayResend(payment.createdAt, now) ? charge(payment) : giveUp(payment, now))
    }
    return read(payment)
  }

  /**
   * Buys credits, one purchase at a time: resolves other pending ones first. SUBSCRIPTION_PAST_DUE, NO_PAYMENT_METHOD,
   * PAYMENT_FAILED, VALIDATION_ERROR (a key that was used for another amount).
   */
  async function buy(ownerId: string, wanted: Wanted): Promise<Payment> {
    for (let turns = 0; turns < mostTurns; turns += 1) {
      const { payment, isOwn } = await begin(ownerId, wanted)
      const sent = await send(payment)
      if (isOwn && sent.status !== 'failed') return sent
      assertThat(!isOwn, 'PAYMENT_FAILED', refusalOf(sent, payment.status === 'failed'))
      // The gateway has not decided about another purchase; the client may retry.
      if (sent.status === 'pending') break
    }
    const message = 'Another purchase for this account is in progress. Try again in a few seconds.'
    throw new CodedError('RATE_LIMITED', { message, retryAfter: 5 })
  }

  return { buy, write, pending, send, priceOf }
}

export type Purchases = ReturnType<typeof createPurchases>

/** A failed purchase fails permanently under its key. */
const refusalOf = ({ failure }: Payment, isRepeated: boolean): { message?: string } => {
  if (!isRepeated) return failure === null ? {} : { message: failure }
  const more = 'This Idempotency-Key will always return this result. To try again, use a new key.'
  return { message: `${failure ?? 'The payment has failed.'} ${more}` }
}

function assertSame(before: Payment, wanted: Wanted): true {
  const message = 'This Idempotency-Key has been used for a different amount. Use a new key.'
  assertThat(before.credits === wanted.credits, 'VALIDATION_ERROR', { message })
  return true
}
