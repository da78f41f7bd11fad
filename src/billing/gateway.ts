import { assertThat, CodedError } from '../errors.ts'

interface Card {
  /** What the gateway calls it from now on. */
  reference: string
  brand: string
  last4: string
}

export interface Charge {
  reference: string
  cents: number
  /** The same key charges once, however often it is sent. */
  idempotencyKey: string
}

/** Where money moves. The sandbox stands in until a payment provider is configured. */
export interface Gateway {
  /** Takes up a payment method by the name the client got for it. PAYMENT_FAILED (refused), VALIDATION_ERROR. */
  attach(method: string): Promise<Card>
  /** Takes the money now, or throws PAYMENT_FAILED. */
  charge(charge: Charge): Promise<void>
  detach(reference: string): Promise<void>
}

interface SandboxMethod {
  brand: string
  last4: string
  attach: 'accepted' | 'refused'
  charge: 'accepted' | 'refused'
}

/** Stripe's names for test cards, with Stripe's behaviour (docs.stripe.com/testing), so that clients can be moved over. */
const methods: Record<string, SandboxMethod> = {
  pm_card_visa: { brand: 'visa', last4: '4242', attach: 'accepted', charge: 'accepted' },
  pm_card_mastercard: { brand: 'mastercard', last4: '4444', attach: 'accepted', charge: 'accepted' },
  pm_card_chargeDeclined: { brand: 'visa', last4: '0002', attach: 'refused', charge: 'refused' },
  pm_card_chargeCustomerFail: { brand: 'visa', last4: '0341', attach: 'accepted', charge: 'refused' },
}

/** A gateway that moves no money and keeps nothing: each test name decides what happens. */
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
