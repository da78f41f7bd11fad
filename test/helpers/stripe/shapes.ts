/* The double's objects in Stripe's format, limited to members that are read. All times are in seconds. */

interface Thing {
  id: string
  object: string
  created: number
  metadata: Record<string, string>
}

export interface Customer extends Thing {
  balance: number
  invoice_settings: { default_payment_method: string | null }
}

export interface Method extends Thing {
  type: 'card'
  card: { brand: string; last4: string }
  customer: string | null
}

export interface Price extends Thing {
  active: boolean
  currency: string
  unit_amount: number
  lookup_key: string | null
  product: string
}

export interface List<T> {
  object: 'list'
  data: T[]
  has_more: boolean
  url: string
}

export interface Item {
  id: string
  object: 'subscription_item'
  price: Price
  quantity: number
  current_period_start: number
  current_period_end: number
}

export interface Subscription extends Thing {
  customer: string
  status: 'active' | 'incomplete' | 'past_due' | 'unpaid' | 'canceled'
  items: List<Item>
  billing_cycle_anchor: number
  cancel_at_period_end: boolean
  cancel_at: number | null
  canceled_at: number | null
  ended_at: number | null
  latest_invoice: string
  schedule: string | null
}

interface Phase {
  start_date: number
  end_date: number
  items: { price: string; quantity: number }[]
}

export interface Schedule extends Thing {
  status: 'active' | 'released'
  subscription: string | null
  released_subscription: string | null
  phases: Phase[]
}

export interface Line {
  id: string
  object: 'line_item'
  amount: number
  description: string
  pricing: { type: 'price_details'; price_details: { price: string; product: string } }
}

export interface Invoice extends Thing {
  customer: string
  status: 'draft' | 'open' | 'paid' | 'void'
  /** Whether Stripe finalizes and collects it automatically. */
  auto_advance: boolean
  attempted: boolean
  attempt_count: number
  billing_reason: string
  total: number
  amount_due: number
  amount_paid: number
  starting_balance: number
  /** null of a draft. */
  ending_balance: number | null
  lines: List<Line>
  parent: {
    type: 'subscription_details'
    subscription_details: { subscription: string; metadata: Record<string, string> }
  }
  /** Present if expanded. */
  payments: List<{ id: string; object: 'invoice_payment'; payment: { type: 'payment_intent'; payment_intent: string } }>
}

export interface CardError {
  type: 'card_error'
  code: string
  decline_code: string
  message: string
}

export interface Intent extends Thing {
  customer: string
  amount: number
  currency: string
  status: 'succeeded' | 'requires_payment_method' | 'requires_confirmation' | 'canceled'
  payment_method: string | null
  last_payment_error: CardError | null
  latest_charge: string | null
}

export interface Charge extends Thing {
  amount: number
  amount_refunded: number
  refunded: boolean
  disputed: boolean
  customer: string
  payment_intent: string
}

export interface Dispute extends Thing {
  status: 'needs_response' | 'won' | 'lost'
  charge: string
  payment_intent: string
}

/** The double keeps only manual transactions, without those of invoices. */
export interface Transaction extends Thing {
  customer: string
  amount: number
  currency: string
  type: 'adjustment'
  ending_balance: number
}

export interface StripeEvent extends Thing {
  type: string
  api_version: string
  data: { object: object }
}
