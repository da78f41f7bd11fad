import type { Stripe } from 'stripe'
import type { GatewayPayment } from '../gateway.ts'
import { idOf } from './customers.ts'

/* What invoices of Stripe say of money. */

/** What is charged for it; of one that credits something, what is credited. */
export const centsOf = ({ total, amount_due: due }: Stripe.Invoice): number => (total < 0 && due === 0 ? total : due)

/**
 * What an invoice has taken of the credit, or the debt that was paid with it, as less than nothing; what was taken by one
 * that is void was given back. A total below the smallest charge is due later, too, and was not paid from any credit.
 */
export function creditUsedBy(invoice: Stripe.Invoice): number {
  const { status, total, starting_balance: balance } = invoice
  if (status === 'void' || status === 'draft') return 0
  const used = total - centsOf(invoice)
  return balance > 0 ? Math.min(0, Math.max(used, -balance)) : Math.max(0, Math.min(used, -balance))
}

/** A finished invoice that was not paid at the first attempt may be paid later. */
export function statusOf({ status, attempted, auto_advance: isAdvanced }: Stripe.Invoice): GatewayPayment['status'] {
  if (status === 'paid') return 'paid'
  // It was left a draft, because its subscription was ended or changed.
  if (status === 'draft' && isAdvanced === false) return 'failed'
  if (status === 'void' || status === 'uncollectible') return 'failed'
  return status === 'open' && attempted ? 'failed' : 'pending'
}

/** What is left of a month is a line of less than nothing. */
export const unusedIn = ({ lines }: Stripe.Invoice): Stripe.InvoiceLineItem[] =>
  lines.data.filter(({ amount }) => amount < 0)

/** The PaymentIntents that an invoice was paid with. Its payments have to be expanded. */
export const intentsIn = ({ payments }: Stripe.Invoice): string[] =>
  (payments?.data ?? []).map(({ payment }) => idOf(payment.payment_intent)).filter((id) => id !== null)

/** The key of the request that it comes from. A renewal comes from none, but repeats the metadata of the subscription. */
export function keyOf({ billing_reason: reason, parent }: Stripe.Invoice): string | null {
  if (reason !== 'subscription_create' && reason !== 'subscription_update') return null
  return parent?.subscription_details?.metadata?.['key'] ?? null
}
