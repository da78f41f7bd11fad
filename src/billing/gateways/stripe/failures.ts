import { Stripe } from 'stripe'
import { CodedError } from '../../../errors.ts'

/** Messages for reasons that a payer can act on. Others stay hidden, because they may help a card thief. */
const sentences: Record<string, string> = {
  expired_card: 'The card has expired.',
  incorrect_cvc: "The card's security code is wrong.",
  incorrect_number: 'The card number is wrong.',
  insufficient_funds: 'The card has insufficient funds.',
  card_velocity_exceeded: 'The card has reached its limit.',
  withdrawal_count_limit_exceeded: 'The card has reached its limit.',
  currency_not_supported: 'The card cannot be charged in USD.',
  authentication_required: 'The bank requires you to confirm the payment. Add the card again, or add a different card.',
  processing_error: 'The bank could not process the payment. Try again.',
}

const declined = 'The card was declined.'

/** Stripe's refusal, in our words. */
export const refusalOf = (error: { code?: string | null; decline_code?: string | null } | null | undefined): string =>
  sentences[error?.decline_code ?? ''] ?? sentences[error?.code ?? ''] ?? declined

/** The refusal error that the payer sees. */
export const paymentFailed = (failure: string): CodedError =>
  new CodedError('PAYMENT_FAILED', { message: `${failure} Use another payment method.` })

export const noCard = (): CodedError => paymentFailed('No payment method is on file.')

/** Whether the object is unknown to Stripe or has ended. */
export const isMissing = (error: unknown): error is Stripe.errors.StripeInvalidRequestError =>
  isInvalid(error) && error.code === 'resource_missing'

/** Whether Stripe rejects the request as invalid. */
export const isInvalid = (error: unknown): error is Stripe.errors.StripeInvalidRequestError =>
  error instanceof Stripe.errors.StripeInvalidRequestError

/** Whether the key was used before with another request. */
export const isKeyReused = (error: unknown): boolean => error instanceof Stripe.errors.StripeIdempotencyError

/**
 * Sends the request. A refused card fails with PAYMENT_FAILED; all else with INTERNAL_ERROR, which is retryable. The
 * log gets the error's type and Stripe's request id, but never the message, which may quote the request.
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
  // Stripe names the parameter of a missing object; only the card has none.
  if (isMissing(error) && !error.param) return noCard()
  const facts = [error.type, error.code, error.param, error.statusCode, error.requestId]
  const privateDetail = `Stripe: ${facts.filter((fact) => fact !== undefined && fact !== '').join(' ')}`
  return new CodedError('INTERNAL_ERROR', { message: unreachable, privateDetail, isOutside: isOfStripe(error) })
}

/** Stripe is down, failing or overloaded. Other refusals mean a wrong key or a wrong request of ours. */
const isOfStripe = (error: Stripe.errors.StripeError): boolean =>
  error instanceof Stripe.errors.StripeConnectionError || error.statusCode === 429 || (error.statusCode ?? 0) >= 500

const unreachable =
  'The payment provider could not be reached or did not respond. We will determine the result within minutes. Check ' +
  'GET /billing and GET /billing/payments before you try again without an Idempotency-Key.'
