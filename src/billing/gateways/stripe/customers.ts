import type { Stripe } from 'stripe'
import { CodedError } from '../../../errors.ts'
import type { Card } from '../gateway.ts'
import { asking, isInvalid, isMissing, noCard } from './failures.ts'

/** Customers and their cards. Stripe charges the customer's default card; subscriptions name no card. */
export function createCustomers(stripe: Stripe) {
  /** The known customer if it still exists; otherwise a new one. */
  async function customer(ownerId: string, known?: { customer: string; isSubscribed: boolean }): Promise<string> {
    if (!known) return make(ownerId, `customer-${ownerId}`)
    const found = await retrieve(known.customer)
    if (found && !found.deleted) return found.id
    const privateDetail = `Stripe: ${known.customer} has a subscription but does not exist in this Stripe account. Check that the API key belongs to the right account.`
    if (!found && known.isSubscribed) throw new CodedError('INTERNAL_ERROR', { privateDetail })
    return make(ownerId, `customer-${ownerId}-${known.customer}`)
  }

  /**
   * Creates the customer of an account. Repeating it within a day returns the same customer. After that, a crash before
   * the id is stored leaves an unused customer. Search is no help, because its index lags.
   */
  const make = async (ownerId: string, idempotencyKey: string): Promise<string> =>
    (await asking(() => stripe.customers.create({ metadata: { ownerId } }, { idempotencyKey }))).id

  /** Includes deleted customers; undefined if unknown. */
  async function retrieve(id: string): Promise<Stripe.Customer | Stripe.DeletedCustomer | undefined> {
    try {
      return await stripe.customers.retrieve(id)
    } catch (error) {
      if (isMissing(error)) return undefined
      return asking(() => Promise.reject(error as Error))
    }
  }

  async function attach(to: string, method: string): Promise<Card> {
    const { id, card } = await attached(to, method)
    await setDefault(to, id)
    return { reference: id, brand: card?.brand ?? 'unknown', last4: card?.last4 ?? '' }
  }

  /** A card confirmed by a SetupIntent is already attached. Another customer's card is treated as unknown. */
  async function attached(to: string, method: string): Promise<Stripe.PaymentMethod> {
    try {
      return await stripe.paymentMethods.attach(method, { customer: to })
    } catch (error) {
      if (!isInvalid(error)) return asking(() => Promise.reject(error as Error))
      const found = isMissing(error) ? undefined : await find(method)
      if (found !== undefined && idOf(found.customer) === to) return found
      throw unknownCard()
    }
  }

  async function find(method: string): Promise<Stripe.PaymentMethod | undefined> {
    try {
      return await stripe.paymentMethods.retrieve(method)
    } catch (error) {
      if (isInvalid(error)) return undefined
      return asking(() => Promise.reject(error as Error))
    }
  }

  const setDefault = (of: string, method: string) =>
    asking(() => stripe.customers.update(of, { invoice_settings: { default_payment_method: method } }))

  async function detach(from: string, reference: string, left: readonly string[]): Promise<void> {
    try {
      await stripe.paymentMethods.detach(reference)
    } catch (error) {
      // The card is missing or already detached.
      if (!isInvalid(error)) await asking(() => Promise.reject(error as Error))
    }
    await prefer(from, left)
  }

  async function prefer(of: string, cards: readonly string[]): Promise<string | null> {
    for (const card of cards) if (await isPreferred(of, card)) return card
    await setDefault(of, '')
    return null
  }

  /** Stripe refuses a card that is not attached to the customer. */
  async function isPreferred(of: string, card: string): Promise<boolean> {
    try {
      await stripe.customers.update(of, { invoice_settings: { default_payment_method: card } })
      return true
    } catch (error) {
      if (isInvalid(error)) return false
      return asking(() => Promise.reject(error as Error))
    }
  }

  async function setup(of: string): Promise<{ clientSecret: string }> {
    const wanted = { customer: of, usage: 'off_session' as const, payment_method_types: ['card'] }
    const { client_secret: clientSecret } = await asking(() => stripe.setupIntents.create(wanted))
    if (clientSecret === null) throw new CodedError('INTERNAL_ERROR', { privateDetail: 'Stripe: no client secret' })
    return { clientSecret }
  }

  /** The card to charge. PAYMENT_FAILED if there is none. */
  async function cardOf(of: string): Promise<string> {
    const found = await asking(() => stripe.customers.retrieve(of))
    const card = found.deleted ? null : idOf(found.invoice_settings.default_payment_method)
    if (card === null) throw noCard()
    return card
  }

  /** Refuses a price that neither credit nor a card can pay: PAYMENT_FAILED. The price is the most that may be due. */
  async function assertPayable(by: string, price: number): Promise<void> {
    const found = await asking(() => stripe.customers.retrieve(by))
    const credit = found.deleted ? 0 : -found.balance
    if (credit < price) await cardOf(by)
  }

  return { customer, attach, detach, prefer, setup, cardOf, assertPayable }
}

export type Customers = ReturnType<typeof createCustomers>

/** The id of an object that Stripe sends as an id or expanded. */
export const idOf = (thing: string | { id: string } | null | undefined): string | null =>
  typeof thing === 'string' ? thing : (thing?.id ?? null)

const unknownCard = () =>
  new CodedError('VALIDATION_ERROR', {
    message: 'This payment method does not exist.',
    details: [
      { path: 'paymentMethod', message: 'Must be the id of a payment method that was collected for this account.' },
    ],
  })
