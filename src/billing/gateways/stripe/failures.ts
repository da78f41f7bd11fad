import { Stripe } from 'stripe'
import { CodedError } from '../../../errors.ts'

/** Sentences for the reasons that a payer can do something about. Others are not told: they may help who steals cards. */
const sentences: Record<string, string> = {
  expired_card: 'The card has expired.',
  incorrect_cvc: 'The security code of the card is wrong.',
  incorrect_number: 'The card number is wrong.',
  insufficient_funds: 'The card has insufficient funds.',
  card_velocity_exceeded: 'The card has reached its limit.',
  withdrawal_count_limit_exceeded: 'The card has reached its limit.',
  currency_not_supported: 'The card cannot be charged in USD.',
  authentication_required: 'The bank requires you to confirm the payment. Add the card again, or add a different card.',
  processing_error: 'The bank could not process the payment. Try again.',
}

const declined = 'The card was declined.'

/** What Stripe says of a refusal, in our words. */
export const refusalOf = (error: { code?: string | null; decline_code?: string | null } | null | undefined): string =>
  sentences[error?.decline_code ?? ''] ?? sentences[error?.code ?? ''] ?? declined

/** A refusal as the payer reads it. */
export const paymentFailed = (failure: string): CodedError =>
  new CodedError('PAYMENT_FAILED', { message: `${failure} Use another payment method.` })

export const noCard = (): CodedError => paymentFailed('No payment method is on file.')

/** Whether Stripe knows no such thing, or it is over. */
export const isMissing = (error: unknown): error is Stripe.errors.StripeInvalidRequestError =>
  isInvalid(error) && error.code === 'resource_missing'

/** Whether Stripe takes the request for a wrong one. */
export const isInvalid = (error: unknown): error is Stripe.errors.StripeInvalidRequestError =>
  error instanceof Stripe.errors.StripeInvalidRequestError

/** Whether the same key came with another request before. */
export const isKeyReused = (error: unknown): boolean => error instanceof Stripe.errors.StripeIdempotencyError

/**
 * Does the request. Fails with PAYMENT_FAILED for a card that is refused, and with INTERNAL_ERROR, which may be tried
 * again, for all else. The log gets the kind of the error and the id that Stripe gave the request, never its message:
 * that may quote what was sent.
 */
export async function asking<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request()
  } catch (error) {
    throw translated(error)
  }
}

export function translated(error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error
  if (error instanceof Stripe.errors.StripeCardError) return paymentFailed(refusalOf(error))
  // Something that is missing is named by its parameter; only the card has none.
  if (isMissing(error) && !error.param) return noCard()
  const facts = [error.type, error.code, error.param, error.statusCode, error.requestId]
  const privateDetail = `Stripe: ${facts.filter((fact) => fact !== undefined && fact !== '').join(' ')}`
  return new CodedError('INTERNAL_ERROR', { message: unreachable, privateDetail, isOutside: isOfStripe(error) })
}

/** It is away, failing or overloaded. What it refuses is a wrong key or a wrong request of the platform. */
const isOfStripe = (error: Stripe.errors.StripeError): boolean =>
  error instanceof Stripe.errors.StripeConnectionError || error.statusCode === 429 || (error.statusCode ?? 0) >= 500

const unreachable =
  'The payment provider could not be reached or did not respond. We will determine the result within minutes. Check ' +
  'GET /billing and GET /billing/payments before you try again without an Idempotency-Key.'
