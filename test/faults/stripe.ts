import type { Fault } from './fault.ts'

/** Payments by Stripe. */
export const stripe: Fault[] = [
  {
    id: 'stripe/any-signature',
    file: 'src/billing/gateways/stripe/webhook.ts',
    find: 'return stripe.webhooks.constructEvent(body, signature, secret, tolerance, undefined, at)',
    replace: 'return JSON.parse(body.toString()) as Stripe.Event',
    why: 'strangers make the platform ask Stripe as often as they like',
    tests: ['test/api/stripe.test.ts'],
    match: 'forged and old*',
  },
  {
    id: 'stripe/key-forgotten',
    file: 'src/billing/gateways/stripe/purchases.ts',
    find: 'const before = await find(charge)',
    replace: 'const before = undefined',
    why: 'a payment is charged again once Stripe has forgotten its key',
    tests: ['test/src/billing/gateways/stripe.test.ts'],
    match: 'a payment is found by its key*',
  },
  {
    id: 'stripe/new-key-each-time',
    file: 'src/billing/gateways/stripe/subscriptions.ts',
    find: "if (before?.metadata['key'] === key) return",
    replace: '',
    why: 'a subscription whose answer was lost stays under way for ever',
    tests: ['test/api/stripe.test.ts'],
    match: 'a subscription whose answer is lost for good*',
  },
  {
    id: 'stripe/event-noted-without-a-look',
    file: 'src/billing/gateways/stripe/events.ts',
    find: 'if (account) await lookBy(trx, account.ownerId, clock.now())',
    replace: 'void account',
    why: 'news are noted, and nobody looks',
    tests: ['test/api/stripe.test.ts'],
    match: 'news that were never delivered*',
  },
  {
    id: 'stripe/overdue-month-credited',
    file: 'src/billing/gateways/stripe/subscriptions.ts',
    find: '{ prorate: !isOverdue, invoice_now: !isOverdue }',
    replace: '{ prorate: true, invoice_now: true }',
    why: 'who leaves without paying gets credit for the month that was not paid',
    tests: ['test/src/billing/gateways/stripe.test.ts'],
    match: '*overdue ends or changes*',
  },
  {
    id: 'stripe/unknown-parameter',
    file: 'src/billing/gateways/stripe/subscriptions.ts',
    find: '{ cancel_at_period_end: true }',
    replace: "{ cancel_at_period_end: true, ...{ when: 'later' } }",
    why: 'Stripe refuses what the double lets pass',
    tests: ['test/src/billing/gateways/stripe.test.ts'],
  },
]
