import type { Stripe } from 'stripe'
import { CodedError } from '../../../errors.ts'
import { idOf, type Customers } from './customers.ts'
import { asking, isInvalid, translated } from './failures.ts'
import { isSuspended } from './subscription.ts'

/** Unpaid months: they are paid later or waived. */
export function createUnpaidInvoices({ stripe, customers }: { stripe: Stripe; customers: Customers }) {
  /**
   * Withdraws invoices that Stripe could still collect, except the last one of a live subscription. Nobody pays for a
   * month that they do not get. Safe to repeat.
   */
  async function waive({ id, status, latest_invoice: latest }: Stripe.Subscription): Promise<void> {
    const { data } = await asking(() => stripe.invoices.list({ subscription: id, limit: 100 }))
    const kept = status === 'canceled' ? null : idOf(latest)
    // A negative invoice is a credit and stays.
    for (const invoice of data) if (invoice.id !== kept && invoice.total > 0) await takeBack(invoice)
  }

  /** A subscription's draft can be neither voided nor deleted, so it stays a draft permanently. */
  async function takeBack({ id, status, auto_advance: isAdvanced }: Stripe.Invoice): Promise<void> {
    if (status === 'open') await asking(() => stripe.invoices.voidInvoice(id))
    if (status === 'draft' && isAdvanced === true)
      await asking(() => stripe.invoices.update(id, { auto_advance: false }))
  }

  /** Charges the last month. PAYMENT_FAILED, also if Stripe has suspended the subscription for another reason. */
  async function pay(found: Stripe.Subscription, key: string): Promise<void> {
    const id = idOf(found.latest_invoice)
    const { status } = id === null ? { status: null } : await finalized(id)
    if (id !== null && status === 'open') return payInvoice(id, idOf(found.customer)!, key)
    if (isSuspended(found) && status !== 'draft') throw nothingToPay()
  }

  /** The invoices of an unpaid subscription stay drafts until someone pays. */
  async function finalized(id: string): Promise<Stripe.Invoice> {
    const found = await asking(() => stripe.invoices.retrieve(id))
    if (found.status !== 'draft') return found
    return asking(() => stripe.invoices.finalizeInvoice(id, { auto_advance: false }))
  }

  async function payInvoice(id: string, customer: string, key: string): Promise<void> {
    await customers.cardOf(customer)
    try {
      await stripe.invoices.pay(id, { off_session: true }, { idempotencyKey: `overdue-${key}` })
    } catch (error) {
      // Stripe's own retry was first.
      const now = isInvalid(error) ? await asking(() => stripe.invoices.retrieve(id)) : undefined
      if (now?.status !== 'paid') throw translated(error)
    }
  }

  return { waive, pay }
}

const nothingToPay = () =>
  new CodedError('PAYMENT_FAILED', {
    message:
      'The payment provider has suspended the subscription, which has no open invoice to pay. End the subscription with DELETE /billing/subscription, then subscribe again.',
  })
