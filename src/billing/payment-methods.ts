import type { Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import { isId, newId } from '../ids.ts'
import { Account } from './account.ts'
import { createChargedCard } from './charged-card.ts'
import type { Credits } from './credits.ts'
import type { Card, Gateway } from './gateways/gateway.ts'
import type { PollGateway } from './poll-gateway.ts'
import { PaymentMethod } from './payment-method.ts'

/** More cards than anyone has, so the list needs no pages. */
const atMost = 20

/** An owner's cards. The newest is charged. */
export function createPaymentMethods(context: {
  database: Database
  clock: Clock
  gateway: Gateway
  credits: Credits
  polling: PollGateway
}) {
  const { database, clock, gateway, credits, polling } = context
  const card = createChargedCard(context)

  /** Newest first. */
  const list = async (ownerId: string): Promise<PaymentMethod[]> =>
    PaymentMethod.query(database).where({ ownerId }).orderBy('id', 'desc')

  async function assertCardLimit(trx: Transaction, ownerId: string): Promise<void> {
    const count = await PaymentMethod.query(trx).where({ ownerId }).resultSize()
    const message = `You have reached the limit of ${atMost} payment methods. Remove one first.`
    assertThat(count < atMost, 'FEATURE_LIMIT_REACHED', { message })
  }

  /** Adds a card. PAYMENT_FAILED if it is refused, VALIDATION_ERROR, FEATURE_LIMIT_REACHED beyond 20 cards. */
  async function add(ownerId: string, request: { paymentMethod: string }): Promise<PaymentMethod> {
    await database.transaction((trx) => assertCardLimit(trx, ownerId))
    const customer = await polling.customerOf(ownerId)
    const attached = await gateway.attach(customer, request.paymentMethod)
    try {
      return await database.transaction((trx) => note(trx, ownerId, attached))
    } catch (error) {
      // Parallel requests may have reached the limit meanwhile.
      await detach(ownerId, customer, attached.reference)
      throw error
    }
  }

  /** Lists a card once, however often it is added, because the first response may have been lost. */
  async function note(trx: Transaction, ownerId: string, attached: Card): Promise<PaymentMethod> {
    await credits.locked(ownerId, trx)
    const before = await PaymentMethod.query(trx).findOne({ ownerId, reference: attached.reference })
    // Now the newest card, which is charged.
    if (before) await PaymentMethod.query(trx).deleteById(before.id)
    else await assertCardLimit(trx, ownerId)
    const row = PaymentMethod.fromJson({ id: newId(), ownerId, ...attached, createdAt: clock.now() })
    await PaymentMethod.query(trx).insert(row)
    // A purchase of credits may have waited for a valid card.
    await Account.query(trx)
      .findById(ownerId)
      .where({ topUpEnabled: true })
      .patch({ topUpAfter: null, lookAt: clock.now() })
    return row
  }

  async function detach(ownerId: string, customer: string, reference: string): Promise<void> {
    const listed = await card.listed(ownerId)
    const left = listed.filter((other) => other !== reference)
    await gateway.detach(customer, reference, left)
  }

  /** Removes a card. NOT_FOUND if the owner has no such card. */
  async function remove(ownerId: string, id: string): Promise<void> {
    const found = isId(id) ? await PaymentMethod.query(database).findOne({ id, ownerId }) : undefined
    assertThat(found, 'NOT_FOUND', { message: 'There is no payment method with this id.' })
    // Gateway first: an unlisted card must not be charged.
    await detach(ownerId, await polling.customerOf(ownerId), found.reference)
    await PaymentMethod.query(database).delete().where({ id, ownerId })
  }

  const hasCard = async (db: Transaction | Database, ownerId: string): Promise<boolean> =>
    (await PaymentMethod.query(db).where({ ownerId }).select('id').first()) !== undefined

  async function assertCard(trx: Transaction, ownerId: string): Promise<void> {
    assertThat(await hasCard(trx, ownerId), 'NO_PAYMENT_METHOD')
  }

  return { list, add, remove, hasCard, assertCard }
}

export type PaymentMethods = ReturnType<typeof createPaymentMethods>
