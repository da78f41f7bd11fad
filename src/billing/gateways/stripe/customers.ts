import type { Stripe } from 'stripe'
import { CodedError } from '../../../errors.ts'
import type { Card } from '../gateway.ts'
import { asking, isInvalid, isMissing, paymentFailed } from './failures.ts'

/** Customers and their cards. The default of a customer is charged; subscriptions name no card of their own. */
export function createCustomers(stripe: Stripe) {
  /**
   * Makes the customer of an account. Asked again within a day it is the same one; after that, if the platform was ended
   * before it could note the name, an empty one is left over. It is never searched for: the search lags behind.
   */
  const customer = async (ownerId: string): Promise<string> =>
    (await asking(() => stripe.customers.create({ metadata: { ownerId } }, { idempotencyKey: `customer-${ownerId}` })))
      .id

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

  async function detach(from: string, reference: string): Promise<void> {
    try {
      await stripe.paymentMethods.detach(reference)
    } catch (error) {
      // It is not there, or not attached any more.
      if (!isInvalid(error)) await asking(() => Promise.reject(error as Error))
    }
    const { data } = await asking(() => stripe.customers.listPaymentMethods(from, { type: 'card', limit: 1 }))
    if (data[0]) await setDefault(from, data[0].id)
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
    if (card === null) throw paymentFailed('There is no payment method on file.')
    return card
  }

  return { customer, attach, detach, setup, cardOf }
}

export type Customers = ReturnType<typeof createCustomers>

/** The id of something that Stripe tells by its id, or in full. */
export const idOf = (thing: string | { id: string } | null | undefined): string | null =>
  typeof thing === 'string' ? thing : (thing?.id ?? null)

const unknownCard = () =>
  new CodedError('VALIDATION_ERROR', {
    message: 'There is no such payment method.',
    details: [
      { path: 'paymentMethod', message: 'Must be the id of a payment method that was collected for this account.' },
    ],
  })
