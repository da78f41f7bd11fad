import type { TierName, PaidTierName } from '../tiers.ts'

/**
 * Moves money: the sandbox, or Stripe. The gateway stores cards, subscriptions and payments; the platform polls their
 * state (`readState`) and never guesses. Each change carries an idempotency key, so it can be resent if its response was
 * lost. Amounts are US cents. Times are those of the gateway's clock.
 */
export interface Gateway {
  name: 'sandbox' | 'stripe'
  /**
   * The gateway's id for an account: the known one, or a new one if none exists. INTERNAL_ERROR if the gateway does not
   * know the customer of a live subscription: the API key may belong to another gateway account.
   */
  customer(ownerId: string, known?: { customer: string; isSubscribed: boolean }): Promise<string>
  /**
   * Attaches a payment method by its client-side id and makes it the charged one. PAYMENT_FAILED (refused),
   * VALIDATION_ERROR.
   */
  attach(customer: string, method: string): Promise<Card>
  /** Removes a card; an unknown one is fine. Then charges the newest of the cards that are left, as `prefer` does. */
  detach(customer: string, reference: string, left: readonly string[]): Promise<void>
  /** From now on charges the first of these cards that still exists, or none. Returns it. */
  prefer(customer: string, cards: readonly string[]): Promise<string | null>
  /** The data that a web page needs to collect a card; null if there is nothing to collect. */
  setup(customer: string): Promise<{ clientSecret: string } | null>
  /** Charges now. PAYMENT_FAILED. */
  pay(charge: Charge): Promise<GatewayPayment>
  /**
   * Starts a subscription and charges its first month. PAYMENT_FAILED: there is no subscription. NOT_FOUND: another
   * subscription is live, so poll.
   */
  subscribe(wanted: { customer: string; tier: PaidTierName; key: string }): Promise<void>
  /**
   * Changes the tier now, or at the end of the period. Now starts a new month: charges its price minus what is left of
   * the old month, to the cent, and credits any surplus. Revokes a cancellation. PAYMENT_FAILED: nothing changes.
   * NOT_FOUND: the subscription has ended.
   */
  change(changed: { subscription: string; tier: PaidTierName; when: When; key: string }): Promise<void>
  /**
   * Ends the subscription at the end of the period, or now with credit for the rest of the month. A past-due one always
   * ends now. One that has already ended is fine.
   */
  cancel(subscription: string, when: When): Promise<void>
  /** Revokes a cancellation or a change at the end of the period. NOT_FOUND if the subscription has ended. */
  keep(subscription: string): Promise<void>
  /** Charges the overdue amount now. PAYMENT_FAILED. NOT_FOUND if the subscription has ended. */
  payOverdue(subscription: string, key: string): Promise<void>
  /** The current state, with the payments of the last 60 days, newest first. */
  readState(customer: string): Promise<GatewayState>
}

/** Now, or at the end of the paid period. */
export type When = 'now' | 'period_end'

export interface Card {
  /** The gateway's id of the card. */
  reference: string
  brand: string
  last4: string
}

export interface Charge {
  customer: string
  cents: number
  /** The id of the platform's payment. It charges once, however often it is sent. */
  key: string
}

export interface GatewayPayment {
  /** The gateway's id of the payment. */
  reference: string
  /** The id of the platform's payment; null if the gateway started the payment, as for a renewal. */
  key: string | null
  /** The amount charged or to charge; negative if credited toward later subscription payments. */
  cents: number
  /**
   * The part of the price paid from earlier credit, or since reclaimed; negative for a debt paid with it. This plus
   * `cents` is the price.
   */
  fromCreditCents: number
  /** A failed subscription payment may still be paid later. */
  status: 'pending' | 'paid' | 'failed' | 'refunded'
  /** The tier of the subscription month or change; for a credit, the tier that was left. */
  tier: PaidTierName | null
  /** The month that this payment ended early; null if none. `cents` already accounts for its remaining value. */
  left: LeftMonth | null
  /** Why the payment was refused, in a sentence for the payer. */
  failure: string | null
  createdAt: Date
}

/** A paid month that ended early. */
export interface LeftMonth {
  tier: PaidTierName
  /** The remaining part of its price. */
  cents: number
}

export interface GatewaySubscription {
  reference: string
  status: 'active' | 'past_due'
  tier: PaidTierName
  /** The tier of the next period if it changes: `free` after a cancellation. */
  nextTier: TierName | null
  /** The end of the paid time; in the past while the subscription is past due. */
  currentPeriodEnd: Date
  cancelledAt: Date | null
}

export interface GatewayState {
  /** null once it has ended. */
  subscription: GatewaySubscription | null
  payments: GatewayPayment[]
  /** Credit toward later subscription payments; negative for a debt that they include. */
  creditCents: number
  /** The card that is charged, if the platform must manage that. */
  card?: string | null
}
