import type { Stripe } from 'stripe'
import type { GatewayPayment } from '../gateway.ts'
import { idOf } from './customers.ts'

/* Amounts in Stripe invoices. */

/** The charged amount; for a crediting invoice, the credited amount. */
export const centsOf = ({ total, amount_due: due }: Stripe.Invoice): number => (total < 0 && due === 0 ? total : due)

/**
 * The credit that an invoice used; negative for a debt paid with it. A void invoice has returned its credit. A total
 * below Stripe's smallest charge is postponed, and was not paid from credit.
 */
export function creditUsedBy(invoice: Stripe.Invoice): number {
  const { status, total, starting_balance: balance } = invoice
  if (status === 'void' || status === 'draft') return 0
  const used = total - centsOf(invoice)
  return balance > 0 ? Math.min(0, Math.max(used, -balance)) : Math.max(0, Math.min(used, -balance))
}

/** A finalized invoice that failed at the first attempt may still be paid. */
export function statusOf({ status, attempted, auto_advance: isAdvanced }: Stripe.Invoice): GatewayPayment['status'] {
  if (status === 'paid') return 'paid'
  // It stays a draft because its subscription has ended or changed.
  if (status === 'draft' && isAdvanced === false) return 'failed'
  if (status === 'void' || status === 'uncollectible') return 'failed'
  return status === 'open' && attempted ? 'failed' : 'pending'
}

/** The negative lines: the remaining value of a month. */
export const unusedIn = ({ lines }: Stripe.Invoice): Stripe.InvoiceLineItem[] =>
  lines.data.filter(({ amount }) => amount < 0)

/** The PaymentIntents that paid an invoice. Requires expanded payments. */
export const intentsIn = ({ payments }: Stripe.Invoice): string[] =>
  (payments?.data ?? []).map(({ payment }) => idOf(payment.payment_intent)).filter((id) => id !== null)

/** The key of the request behind the invoice. A renewal has none, although it repeats the subscription's metadata. */
export function keyOf({ billing_reason: reason, parent }: Stripe.Invoice): string | null {
  if (reason !== 'subscription_create' && reason !== 'subscription_update') return null
  return parent?.subscription_details?.metadata?.['key'] ?? null
}
