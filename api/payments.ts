import * as v from 'valibot'
import { paymentPurposes, paymentStatuses } from '../src/billing/payment.ts'
import { purchaseBounds } from '../src/billing/purchases.ts'
import { fieldsOf } from '../src/database/row.ts'
import { idempotencyKeyOf } from '../src/webhooks/delivery-identity.ts'
import { route } from './route/route.ts'
import { field, named, whole } from './schemas/documented.ts'
import { id, pageOf, paging, tier, time } from './schemas/schemas.ts'

const payment = named(
  'Payment',
  v.object({
    id,
    purpose: named(
      'PaymentPurpose',
      v.picklist(paymentPurposes),
      'subscription: a month on a tier, or a tier change · credits: bought credits · top_up: automatically bought credits',
    ),
    status: named(
      'PaymentStatus',
      v.picklist(paymentStatuses),
      'pending: the outcome is not known yet · failed: the charge was declined, but a subscription month might still be paid later',
    ),
    currency: field(v.literal('usd'), 'Currency of `cents`'),
    cents: field(
      whole,
      'Amount charged to the card. Negative for an amount credited to later subscription payments.',
      2000,
    ),
    fromCreditCents: field(
      whole,
      'Amount paid with payment credit. The full price is this amount plus `cents`. Negative if the payment also settles a debt.',
      0,
    ),
    credits: field(v.nullable(whole), 'Number of credits bought. Null for a subscription.', null),
    tier: field(v.nullable(tier), 'Tier of the subscription. For a credited amount, the tier that ended.', 'pro'),
    failure: field(v.nullable(v.string()), 'Why the charge was declined', null),
    createdAt: time,
    settledAt: field(v.nullable(time), 'When the outcome became known'),
  }),
  'Payment',
)

const { least, most, step } = purchaseBounds
const bought = field(
  v.pipe(
    v.number('must be a number'),
    v.integer('must be a whole number'),
    v.minValue(least, `must be at least ${least}`),
    v.maxValue(most, `must be at most ${most}`),
    v.multipleOf(step, `must be a multiple of ${step}`),
  ),
  `Number of credits to buy: a multiple of ${step} from ${least} to ${most}`,
  1000,
)

const cents = v.pipe(
  v.number('must be a number'),
  v.integer('must be a whole number'),
  v.minValue(1, 'must be at least 1'),
  v.maxValue(100_000_000, 'must be at most 100000000'),
)

const shared = { tag: 'billing', access: 'account', ofUser: true } as const

const present = <P extends Parameters<typeof fieldsOf>[0]>(row: P) => ({ currency: 'usd' as const, ...fieldsOf(row) })

export const buyCredits = route({
  ...shared,
  name: 'buyCredits',
  needsPayments: true,
  audit: { subject: 'payment' },
  method: 'post',
  path: '/billing/credits',
  summary: 'Buy credits',
  description:
    'Charges the most recently added payment method, at the price set by the operator (by default, a cent per credit). ' +
    "Overdue payments are charged first. An account's purchases are processed one at a time. With `Idempotency-Key`, a " +
    'repeated request returns the original payment, even if it failed. To try again, use a new key.',
  headers: {
    'Idempotency-Key': 'Key for this purchase. A repeated request with the same key does not buy more credits.',
  },
  body: v.strictObject({ credits: bought }),
  status: 201,
  response: payment,
  codes: ['NO_PAYMENT_METHOD', 'PAYMENT_FAILED', 'SUBSCRIPTION_PAST_DUE'],
  async handle({ services, caller, body, request }) {
    const wanted = { ...body, requestKey: idempotencyKeyOf(request.header) }
    return present(await services.billing.purchases.buy(caller.userId, wanted))
  },
})

export const listPayments = route({
  ...shared,
  name: 'listPayments',
  method: 'get',
  path: '/billing/payments',
  summary: 'List payments',
  description:
    'Lists subscription months and changes, credited amounts, and credit purchases, newest first. Among paid items, the positive `cents` are the amounts charged to your cards, and `cents` plus `fromCreditCents` is the cost of the service. Your payment credit (`creditCents` in `GET /billing`) is the sum of the negative `cents`, taken as a positive amount, minus the sum of `fromCreditCents`, across payments of every status.',
  query: v.strictObject(paging),
  status: 200,
  response: pageOf(payment),
  async handle({ services, caller, query }) {
    const page = await services.billing.payments.list(caller.userId, query)
    return { ...page, items: page.items.map(present) }
  },
})

const topUp = named(
  'TopUp',
  v.object({
    enabled: field(v.boolean(), 'Whether automatic top-up is enabled'),
    below: field(v.nullable(whole), 'Credits are bought when the balance falls below this number of credits', 500),
    credits: field(v.nullable(whole), 'Number of credits bought at a time', 1000),
    centsPerMonth: field(v.nullable(whole), 'Maximum cost of top-ups in a calendar month (UTC), in US cents', 5000),
    spentCents: field(whole, 'Amount charged for top-ups this month, in US cents', 1000),
    failures: field(whole, 'Number of failed payments in a row. After three, top-up is switched off.', 0),
  }),
  'Automatic top-up settings',
)

export const getTopUp = route({
  ...shared,
  name: 'getTopUp',
  method: 'get',
  path: '/billing/top-up',
  summary: 'Get automatic top-up settings',
  description: 'Settings that have never been set are null.',
  status: 200,
  response: topUp,
  handle: ({ services, caller }) => services.billing.topUps.read(caller.userId),
})

export const setTopUp = route({
  ...shared,
  name: 'setTopUp',
  needsPayments: true,
  audit: { subject: 'top_up' },
  look: ({ services, caller }) => services.billing.topUps.read(caller.userId),
  method: 'put',
  path: '/billing/top-up',
  summary: 'Set automatic top-up',
  description:
    'When the balance falls below `below`, credits are bought within seconds. Top-up never charges more per month than ' +
    '`centsPerMonth`, which must cover at least one purchase. After three failed payments in a row, top-up is ' +
    'switched off and you get a notification. Nothing is bought while the subscription is past due.',
  body: v.strictObject({
    enabled: field(v.boolean('must be true or false'), 'Whether automatic top-up is enabled', true),
    below: field(
      v.pipe(
        v.number('must be a number'),
        v.integer('must be a whole number'),
        v.minValue(1, 'must be at least 1'),
        v.maxValue(most, `must be at most ${most}`),
      ),
      'Credits are bought when the balance falls below this number of credits',
      500,
    ),
    credits: bought,
    centsPerMonth: field(cents, 'Maximum cost of top-ups in a calendar month (UTC), in US cents', 5000),
  }),
  status: 200,
  response: topUp,
  codes: ['NO_PAYMENT_METHOD'],
  handle: ({ services, caller, body }) => services.billing.topUps.set(caller.userId, body),
})
