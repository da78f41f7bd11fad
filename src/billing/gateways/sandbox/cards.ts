import { CodedError } from '../../../errors.ts'

interface TestCard {
  brand: string
  last4: string
  attach: 'accepted' | 'refused'
  charge: 'accepted' | 'refused'
}

/** Stripe's test cards with Stripe's behavior (docs.stripe.com/testing), so clients can move to Stripe. */
const cards: Record<string, TestCard> = {
  pm_card_visa: { brand: 'visa', last4: '4242', attach: 'accepted', charge: 'accepted' },
  pm_card_mastercard: { brand: 'mastercard', last4: '4444', attach: 'accepted', charge: 'accepted' },
  pm_card_chargeDeclined: { brand: 'visa', last4: '0002', attach: 'refused', charge: 'refused' },
  pm_card_chargeCustomerFail: { brand: 'visa', last4: '0341', attach: 'accepted', charge: 'refused' },
}

/** The card with this test name. VALIDATION_ERROR (unknown), PAYMENT_FAILED (refused). */
export function cardNamed(method: string): TestCard {
  const known = Object.hasOwn(cards, method) ? cards[method] : undefined
  if (!known) throw unknownCard()
  if (known.attach === 'refused') {
    throw new CodedError('PAYMENT_FAILED', { message: 'The card was declined. Use a different card.' })
  }
  return known
}

/** Why the card refuses a charge; null if it accepts it. */
export function refusalOf(method: string | null): string | null {
  if (method === null) return 'No payment method is on file.'
  return cards[method]?.charge === 'accepted' ? null : 'The card was declined.'
}

const unknownCard = () =>
  new CodedError('VALIDATION_ERROR', {
    message: 'This payment method does not exist.',
    details: [{ path: 'paymentMethod', message: `The sandbox accepts ${Object.keys(cards).join(', ')}.` }],
  })
