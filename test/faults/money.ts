import { createPurchases as createStripePurchases } from '../../src/billing/gateways/stripe/purchases.ts'
import { createSubscriptions } from '../../src/billing/gateways/stripe/subscriptions.ts'
import { createReclaimCredit } from '../../src/billing/gateways/stripe/reclaim-credit.ts'
import { chargeAccount } from '../../src/billing/ledger/charge.ts'
import { createHolds } from '../../src/billing/ledger/holds.ts'
import { mayRepeat } from '../../src/loop/call-endings.ts'
import { createEnd } from '../../src/runs/ending/end-run.ts'
import { createTools } from '../../src/tools/tools.ts'
import { always, instead, reworded, without } from './edits.ts'
import { within, type Fault } from './fault.ts'

const stripe = 'test/src/billing/gateways/stripe.test.ts'

/** Somebody pays twice, or not at all. What a tool does once may be a payment, too. */
export const money: Fault[] = [
  {
    id: 'money/step-charged-twice',
    in: chargeAccount,
    edit: reworded('balance = :balance from entry where', 'balance = :balance where'),
    why: 'a step that is recorded again is charged again',
    tests: ['test/src/billing/billing.test.ts'],
  },
  {
    id: 'money/hold-of-others-free',
    in: createHolds,
    edit: reworded('then a.balance - o.all_held end', 'then a.balance end'),
    why: 'steps that begin at the same time all count on the last credit',
    tests: ['test/src/billing/ledger/holds.test.ts'],
  },
  {
    id: 'money/held-for-ever',
    in: createEnd,
    edit: reworded('delete from credit_holds where', 'delete from credit_holds where false and'),
    why: 'a cancelled run holds credits that nobody can use',
    tests: ['test/src/billing/ledger/runs.test.ts'],
  },
  {
    id: 'money/paid-twice-at-stripe',
    in: createStripePurchases,
    edit: without('ObjectExpression:has(> [key.name="idempotencyKey"])'),
    why: 'two processes charge one payment twice',
    tests: [stripe],
  },
  {
    id: 'money/subscribed-twice-at-stripe',
    in: createSubscriptions,
    edit: without('[callee.property.name="create"] > ObjectExpression:has(> [key.name="idempotencyKey"])'),
    why: 'two processes begin two subscriptions',
    tests: [stripe],
  },
  {
    id: 'money/credit-taken-twice',
    ...within(createReclaimCredit, 'settle'),
    edit: instead('[]', 'CallExpression[callee.object.name="before"][callee.property.name="filter"]'),
    why: 'credit is taken again each day, once Stripe has forgotten the key',
    tests: ['test/api/stripe-refunds.test.ts'],
  },
  {
    id: 'money/once-sent-again',
    in: mayRepeat,
    edit: without('ReturnStatement > LogicalExpression > BinaryExpression[right.value="once"]'),
    why: 'a `once` tool that answered 500 is called again although it may have acted: two orders, two payments',
    tests: ['test/src/tools/effects.test.ts'],
  },
  {
    id: 'money/key-for-another-order',
    in: createTools,
    edit: always(true, 'VariableDeclarator > LogicalExpression:has([property.name="arguments"])'),
    why: 'a key that is used for another order gets the outcome of the first',
    tests: ['test/api/direct-calls.test.ts'],
  },
]
