import { StripeProblem } from './problem.ts'
import type { CardError } from './shapes.ts'

interface TestCard {
  brand: string
  last4: string
  /** The codes with which attaching and charging fail. */
  attach?: string
  charge?: string
}

/** Stripe's test cards (docs.stripe.com/testing) and their results. */
export const testCards: Record<string, TestCard> = {
  pm_card_visa: { brand: 'visa', last4: '4242' },
  pm_card_mastercard: { brand: 'mastercard', last4: '4444' },
  pm_card_chargeDeclined: { brand: 'visa', last4: '0002', attach: 'generic_decline', charge: 'generic_decline' },
  pm_card_visa_chargeDeclinedInsufficientFunds: {
    brand: 'visa',
    last4: '9995',
    attach: 'insufficient_funds',
    charge: 'insufficient_funds',
  },
  pm_card_chargeCustomerFail: { brand: 'visa', last4: '0341', charge: 'generic_decline' },
}

export const cardError = (declineCode: string): CardError => ({
  type: 'card_error',
  code: 'card_declined',
  decline_code: declineCode,
  message: declineCode === 'insufficient_funds' ? 'Your card has insufficient funds.' : 'Your card was declined.',
})

/** A refusal as a response. */
export const refused = (error: CardError, more: object = {}): StripeProblem =>
  new StripeProblem(402, { ...error, ...more })

/** The refusal of a test card when charged, by its last digits. */
export const refusalOfCharge = (last4: string): string | undefined =>
  Object.values(testCards).find((card) => card.last4 === last4)?.charge
