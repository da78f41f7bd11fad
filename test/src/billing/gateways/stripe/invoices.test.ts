// @promise refunds
import test from 'ava'
import type { Stripe } from 'stripe'
import {
  centsOf,
  creditUsedBy,
  intentsIn,
  keyOf,
  statusOf,
  unusedIn,
} from '../../../../../src/billing/gateways/stripe/invoices.ts'
import { purchaseOf } from '../../../../../src/billing/gateways/stripe/purchases.ts'

const invoice = (facts: object) =>
  ({
    status: 'paid',
    total: 2000,
    amount_due: 2000,
    starting_balance: 0,
    attempted: true,
    ...facts,
  }) as unknown as Stripe.Invoice

test('an invoice is charged for what is due, and says what it has taken of the credit, or paid of a debt', (t) => {
  const rows: [what: string, facts: object, cents: number, credit: number][] = [
    ['nothing is credited', {}, 2000, 0],
    ['some of it is credited', { starting_balance: -500, amount_due: 1500 }, 1500, 500],
    ['more is credited', { starting_balance: -5000, amount_due: 0 }, 0, 2000],
    ['a debt is paid with it', { starting_balance: 500, amount_due: 2500 }, 2500, -500],
    ['it credits something', { total: -700, amount_due: 0 }, -700, 0],
    ['it credits less than is owed', { total: -700, starting_balance: 1000, amount_due: 300 }, 300, -1000],
    ['it is too little to be charged now', { total: 30, amount_due: 0 }, 0, 0],
    ['what a void one has taken is given back', { status: 'void', starting_balance: -500, amount_due: 1500 }, 1500, 0],
    ['a draft has taken nothing yet', { status: 'draft', starting_balance: -500, amount_due: 1500 }, 1500, 0],
  ]
  for (const [what, facts, cents, credit] of rows)
    t.deepEqual([centsOf(invoice(facts)), creditUsedBy(invoice(facts))], [cents, credit], what)
})

test('an invoice has failed once it was tried, or is not tried any more', (t) => {
  const rows: [object, string][] = [
    [{ status: 'paid' }, 'paid'],
    [{ status: 'open' }, 'failed'],
    [{ status: 'open', attempted: false }, 'pending'],
    [{ status: 'draft', auto_advance: true }, 'pending'],
    [{ status: 'draft', auto_advance: false }, 'failed'],
    [{ status: 'void' }, 'failed'],
    [{ status: 'uncollectible' }, 'failed'],
  ]
  for (const [facts, status] of rows) t.is(statusOf(invoice(facts)), status as 'paid', JSON.stringify(facts))
})

test('an invoice has the key of the request that it comes from, and a renewal has none', (t) => {
  const parent = { subscription_details: { metadata: { key: 'the key' } } }
  const of = (reason: string) => keyOf(invoice({ billing_reason: reason, parent }))
  const reasons = ['subscription_create', 'subscription_update', 'subscription_cycle']
  t.deepEqual(reasons.map(of), ['the key', 'the key', null])
  t.is(keyOf(invoice({ billing_reason: 'subscription_create', parent: null })), null)
})

test('an invoice names what is left of a month, and the payments that it was paid with', (t) => {
  const lines = { data: [{ amount: 2000 }, { amount: 0 }, { amount: -700 }] }
  t.like(unusedIn(invoice({ lines })), { length: 1, 0: { amount: -700 } })
  const data = [
    { payment: { payment_intent: 'pi_1' } },
    { payment: { payment_intent: { id: 'pi_2' } } },
    { payment: {} },
  ]
  t.deepEqual(intentsIn(invoice({ payments: { data } })), ['pi_1', 'pi_2'])
  t.deepEqual(intentsIn(invoice({})), [])
})

test('a purchase is paid back only if all of it was', (t) => {
  const charge = { id: 'ch_1', amount: 500, amount_refunded: 0, refunded: false }
  const told = (more: object | null) => {
    const latest_charge = more && { ...charge, ...more }
    const intent = {
      id: 'pi_1',
      amount: 500,
      status: 'succeeded',
      metadata: { payment: 'key' },
      created: 1,
      latest_charge,
    }
    return purchaseOf(intent as unknown as Stripe.PaymentIntent)?.status
  }
  t.is(told(null), 'paid')
  t.is(told({ amount_refunded: 499 }), 'paid', 'a part changes nothing')
  t.is(told({ amount_refunded: 500, refunded: true }), 'refunded')
})
