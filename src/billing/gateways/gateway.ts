import type { TierName, PaidTierName } from '../tiers.ts'

/**
 * Moves money: the sandbox, or Stripe. Cards, subscriptions and payments live at the gateway; the platform asks what
 * has become of them (`look`) and never guesses. A request that changes something carries a key, so that it can be sent
 * again when its answer was lost. All amounts are US cents; all times are those of the gateway's clock.
 */
export interface Gateway {
  name: 'sandbox' | 'stripe'
  /**
   * The gateway's name for an account: the known one, or a new one if there is none, or it is gone. INTERNAL_ERROR if it
   * is unknown, although a subscription continues: then the key may be that of another account of the gateway.
   */
  customer(ownerId: string, known?: { customer: string; isSubscribed: boolean }): Promise<string>
  /** Registers a payment method by its client-side name, as the one that is charged. PAYMENT_FAILED (refused), VALIDATION_ERROR. */
  attach(customer: string, method: string): Promise<Card>
  /** Forgets a card; one that is unknown is fine. Of the cards that are left, the newest is charged from now on, as `prefer` does. */
  detach(customer: string, reference: string, left: readonly string[]): Promise<void>
  /** Charges the first of these cards that is still there from now on, or none. Returns which. */
  prefer(customer: string, cards: readonly string[]): Promise<string | null>
  /** What a web page needs to collect a card; null where there is nothing to collect. */
  setup(customer: string): Promise<{ clientSecret: string } | null>
  /** Charges now. PAYMENT_FAILED. */
  pay(charge: Charge): Promise<GatewayPayment>
  /** Begins a subscription and charges its first month. PAYMENT_FAILED: then there is none. NOT_FOUND if another one continues: look. */
  subscribe(wanted: { customer: string; tier: PaidTierName; key: string }): Promise<void>
  /**
   * Changes the tier: at once, or when the period ends. At once begins a new month: its price is charged less what is left
   * of the old one, to the cent; if more is left, the rest is credited. Takes a cancellation back. PAYMENT_FAILED: then
   * nothing changes. NOT_FOUND if the subscription has ended.
   */
  change(changed: { subscription: string; tier: PaidTierName; when: When; key: string }): Promise<void>
  /** Ends it: when the period ends, or at once, crediting what is left of the month; at once, too, if it is past due. One that has ended is fine. */
  cancel(subscription: string, when: When): Promise<void>
  /** Takes a cancellation, or a change at the end of the period, back. NOT_FOUND if the subscription has ended. */
  keep(subscription: string): Promise<void>
  /** Charges what is overdue, now. PAYMENT_FAILED. NOT_FOUND if the subscription has ended. */
  payOverdue(subscription: string, key: string): Promise<void>
  /** Everything that is so now, with the payments of the last 60 days, the newest first. */
  look(customer: string): Promise<GatewayState>
}

/** At once, or when the period that is paid ends. */
export type When = 'now' | 'period_end'

export interface Card {
  /** The gateway's name for the card. */
  reference: string
  brand: string
  last4: string
}

export interface Charge {
  customer: string
  cents: number
  /** One key charges once, however often it is sent: the id of the platform's payment. */
  key: string
}

export interface GatewayPayment {
  /** The gateway's name for it. */
  reference: string
  /** The id of the platform's payment; null if the gateway has made it, as at a renewal. */
  key: string | null
  /** What was charged, or is to be; negative if it was credited to later payments of subscriptions. */
  cents: number
  /**
   * What was paid besides, from what had been credited before, or is taken away again since; negative for a debt that was paid
   * with it. `cents` and this are the price.
   */
  fromCreditCents: number
  /** A payment of a subscription that has failed may be paid later. */
  status: 'pending' | 'paid' | 'failed' | 'refunded'
  /** Of a month of a subscription, or a change of it; of what was credited, the tier that was left. */
  tier: PaidTierName | null
  /** The month that was left early with it; null if none was. What was left of its price is in `cents` already. */
  left: LeftMonth | null
  /** Why it was refused, in a sentence that its payer may read. */
  failure: string | null
  createdAt: Date
}

/** A month that was paid and is left early. */
export interface LeftMonth {
  tier: PaidTierName
  /** What was left of its price. */
  cents: number
}

export interface GatewaySubscription {
  reference: string
  status: 'active' | 'past_due'
  tier: PaidTierName
  /** What follows at the end of the period if it is not the same: `free` once it is cancelled. */
  nextTier: TierName | null
  /** Until when it is paid: in the past while it is past due. */
  currentPeriodEnd: Date
  cancelledAt: Date | null
}

export interface GatewayState {
  /** null once it has ended. */
  subscription: GatewaySubscription | null
  payments: GatewayPayment[]
  /** What is credited to later payments of subscriptions; negative for what is owed with them. */
  creditCents: number
  /** The card that is charged, if the platform has to see to that. */
  card?: string | null
}
