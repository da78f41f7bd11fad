import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import { isId, newId } from '../ids.ts'
import type { Credits } from './credits.ts'
import type { Gateway } from './gateway.ts'
import { PaymentMethod } from './payment-method.ts'

/** More cards than anyone has; the list has no pages. */
const atMost = 20

/** The cards of an owner. The newest one is charged. */
export function createPaymentMethods(context: {
  database: Database
  clock: Clock
  gateway: Gateway
  credits: Credits
}) {
  const { database, clock, gateway, credits } = context

  /** All of them, newest first. */
  const list = async (ownerId: string): Promise<PaymentMethod[]> =>
    PaymentMethod.query(database).where({ ownerId }).orderBy('id', 'desc')

  /** Adds a card. PAYMENT_FAILED if it is refused, VALIDATION_ERROR, FEATURE_LIMIT_REACHED beyond 20 cards. */
  async function add(ownerId: string, request: { paymentMethod: string }): Promise<PaymentMethod> {
    const card = await gateway.attach(request.paymentMethod)
    const row = PaymentMethod.fromJson({ id: newId(), ownerId, ...card, createdAt: clock.now() })
    await database.transaction(async (trx) => {
      await credits.locked(ownerId, trx)
      const count = await PaymentMethod.query(trx).where({ ownerId }).resultSize()
      const message = `There are ${atMost} payment methods on file. Remove one first.`
      assertThat(count < atMost, 'FEATURE_LIMIT_REACHED', { message })
      await PaymentMethod.query(trx).insert(row)
    })
    return row
  }

  /** Removes a card. NOT_FOUND if the owner has no such card. */
  async function remove(ownerId: string, id: string): Promise<void> {
    const mine = PaymentMethod.query(database).delete().where({ id, ownerId }).returning('*')
    const [removed] = isId(id) ? await mine : []
    assertThat(removed, 'NOT_FOUND', { message: 'There is no payment method with this identifier.' })
    await gateway.detach(removed.reference)
  }

  /** The card to charge, or NO_PAYMENT_METHOD. */
  async function toCharge(ownerId: string): Promise<PaymentMethod> {
    const row = await PaymentMethod.query(database).where({ ownerId }).orderBy('id', 'desc').first()
    assertThat(row, 'NO_PAYMENT_METHOD')
    return row
  }

  return { list, add, remove, toCharge }
}

export type PaymentMethods = ReturnType<typeof createPaymentMethods>
