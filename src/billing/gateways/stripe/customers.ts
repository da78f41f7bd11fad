import type { Stripe } from 'stripe'
import { CodedError } from '../../../errors.ts'
import type { Card } from '../gateway.ts'
import { asking, isInvalid, isMissing, noCard } from './failures.ts'

/** Customers and their cards. The default of a customer is charged; subscriptions name no card of their own. */
export function createCustomers(stripe: Stripe) {
  /** The known customer if there still is one; otherwise another one is made. */
  async function customer(ownerId: string, known?: { customer: string; isSubscribed: boolean }): Promise<string> {
    if (!known) return make(ownerId, `customer-${ownerId}`)
    const found = await retrieve(known.customer)
    if (found && !found.deleted) return found.id
    const privateDetail = `Stripe: ${known.customer} has a subscription but does not exist in this Stripe account. Check that the API key belongs to the right account.`
    if (!found && known.isSubscribed) throw new CodedError('INTERNAL_ERROR', { privateDetail })
    return make(ownerId, `customer-${ownerId}-${known.customer}`)
  }

  /**
   * Makes the customer of an account. Asked again within a day it is the same one; after that, if the platform was ended
   * before it could note the name, an empty one is left over. It is never searched for: the search lags behind.
   */
  const make = async (ownerId: string, idempotencyKey: string): Promise<string> =>
    (await asking(() => stripe.customers.create({ metadata: { ownerId } }, { idempotencyKey }))).id

  /** Also one that was deleted; undefined if Stripe knows none. */
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

  /** A card that a SetupIntent has confirmed is attached already. One of another customer is not to be known of. */
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
      // It is not there, or not attached any more.
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

  /** The card to charge. PAYMENT_FAILED without one. */
  async function cardOf(of: string): Promise<string> {
    const found = await asking(() => stripe.customers.retrieve(of))
    const card = found.deleted ? null : idOf(found.invoice_settings.default_payment_method)
    if (card === null) throw noCard()
    return card
  }

  /** Refuses what neither the credit nor a card can pay: PAYMENT_FAILED. The price is the most that may be due. */
  async function assertPayable(by: string, price: number): Promise<void> {
    const found = await asking(() => stripe.customers.retrieve(by))
    const credit = found.deleted ? 0 : -found.balance
    if (credit < price) await cardOf(by)
  }

  return { customer, attach, detach, prefer, setup, cardOf, assertPayable }
}

export type Customers = ReturnType<typeof createCustomers>

/** The id of something that Stripe tells by its id, or in full. */
export const idOf = (thing: string | { id: string } | null | undefined): string | null =>
  typeof thing === 'string' ? thing : (thing?.id ?? null)

const unknownCard = () =>
  new CodedError('VALIDATION_ERROR', {
    message: 'This payment method does not exist.',
    details: [
      { path: 'paymentMethod', message: 'Must be the id of a payment method that was collected for this account.' },
    ],
  })
