import { assertThat, CodedError } from '../errors.ts'

interface Card {
  /** The gateway's name for the card. */
  reference: string
  brand: string
  last4: string
}

export interface Charge {
  reference: string
  cents: number
  /** One key charges once, however often it is sent. */
  idempotencyKey: string
}

/** Moves money. The sandbox stands in for a payment provider. */
export interface Gateway {
  /** Registers a payment method by its client-side name. PAYMENT_FAILED (refused), VALIDATION_ERROR. */
  attach(method: string): Promise<Card>
  /** Charges now, or throws PAYMENT_FAILED. */
  charge(charge: Charge): Promise<void>
  detach(reference: string): Promise<void>
}

interface SandboxMethod {
  brand: string
  last4: string
  attach: 'accepted' | 'refused'
  charge: 'accepted' | 'refused'
}

/** Stripe's test cards with Stripe's behaviour (docs.stripe.com/testing), so that clients can move to Stripe. */
const methods: Record<string, SandboxMethod> = {
  pm_card_visa: { brand: 'visa', last4: '4242', attach: 'accepted', charge: 'accepted' },
  pm_card_mastercard: { brand: 'mastercard', last4: '4444', attach: 'accepted', charge: 'accepted' },
  pm_card_chargeDeclined: { brand: 'visa', last4: '0002', attach: 'refused', charge: 'refused' },
  pm_card_chargeCustomerFail: { brand: 'visa', last4: '0341', attach: 'accepted', charge: 'refused' },
}

/** A gateway that moves no money and keeps nothing. The test name decides the outcome. */
export function createSandboxGateway(): Gateway {
  return {
    async attach(method) {
      const known = Object.hasOwn(methods, method) ? methods[method] : undefined
      assertThat(known, 'VALIDATION_ERROR', unknownMethod())
      assertThat(known.attach === 'accepted', 'PAYMENT_FAILED', { message: 'The card was declined. Use another one.' })
      return { reference: method, brand: known.brand, last4: known.last4 }
    },
    async charge({ reference }) {
      if (methods[reference]?.charge !== 'accepted') throw new CodedError('PAYMENT_FAILED')
    },
    async detach() {},
  }
}

const unknownMethod = () => ({
  message: 'There is no such payment method.',
  details: [{ path: 'paymentMethod', message: `The sandbox knows ${Object.keys(methods).join(', ')}.` }],
})
