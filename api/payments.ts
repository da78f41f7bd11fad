import * as v from 'valibot'
import { paymentPurposes, paymentStatuses } from '../src/billing/payment.ts'
import { purchaseBounds } from '../src/billing/purchases.ts'
import { fieldsOf } from '../src/database/row.ts'
import { idempotencyKeyOf } from '../src/webhooks/identity.ts'
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
      'subscription: a month of a tier, or a change of it · credits: credits that were bought · top_up: those that were ' +
        'bought automatically',
    ),
    status: named(
      'PaymentStatus',
      v.picklist(paymentStatuses),
      'pending: the outcome is not known yet · failed: it was refused; a month of a subscription may be paid later',
    ),
    currency: field(v.literal('usd'), 'The currency'),
    cents: field(
      whole,
      'What was charged to the card, or is to be; negative if it was credited to later payments of subscriptions',
      2000,
    ),
    fromCreditCents: field(
      whole,
      'What was paid besides, from what had been credited; the price is `cents` and this together. Negative for a debt that was paid with it',
      0,
    ),
    credits: field(v.nullable(whole), 'Those that are bought; null for a subscription', null),
    tier: field(v.nullable(tier), 'Of a subscription; of what was credited, the tier that was left', 'pro'),
    failure: field(v.nullable(v.string()), 'Why it was refused', null),
    createdAt: time,
    settledAt: field(v.nullable(time), 'When the outcome was known'),
  }),
  'What was paid, or is to be',
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
  `How many: whole hundreds from ${least} to ${most}`,
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
    'Charges the payment method that was added last; a credit costs what the operator has set (a cent by default). ' +
    'With `Idempotency-Key`, a repeated request gets the payment of the first one, and pays nothing; one that has failed stays ' +
    'so: use a new key for another try. One purchase at a ' +
    'time: others of the account wait. What is overdue is paid first.',
  headers: { 'Idempotency-Key': 'Names the purchase; repeating it under the same key buys nothing more' },
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
  summary: 'List payments, newest first',
  description:
    'Months of subscriptions, changes of them, what was credited, and credits that were bought. Of those that are paid, ' +
    'the positive `cents` are what cards have paid; `cents` and `fromCreditCents` together are what the service has cost; ' +
    'and what is credited still (`creditCents` of GET /billing) is the negative `cents` less `fromCreditCents`, over payments of every status.',
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
    enabled: field(v.boolean(), 'Whether credits are bought automatically'),
    below: field(v.nullable(whole), 'They are bought once the balance is below; in credits', 500),
    credits: field(v.nullable(whole), 'How many are bought at a time', 1000),
    centsPerMonth: field(v.nullable(whole), 'What that may cost in a calendar month (UTC), in US cents', 5000),
    spentCents: field(whole, 'What it has cost in this month, in US cents', 1000),
    failures: field(whole, 'How many payments in a row have failed; after three it is switched off', 0),
  }),
  'How credits are bought automatically',
)

export const getTopUp = route({
  ...shared,
  name: 'getTopUp',
  method: 'get',
  path: '/billing/top-up',
  summary: 'Get how credits are bought automatically',
  description: 'null where nothing was set yet.',
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
  summary: 'Set how credits are bought automatically',
  description:
    'Once the balance is below the threshold, credits are bought within seconds, and at once if it is below already; ' +
    'never beyond the ceiling of the month, which has to be enough for one purchase. After three payments in a row that failed it is switched off, and a ' +
    'notification says so. Nothing is bought while the subscription is past due.',
  body: v.strictObject({
    enabled: field(v.boolean('must be true or false'), 'Whether credits are bought automatically', true),
    below: field(
      v.pipe(
        v.number('must be a number'),
        v.integer('must be a whole number'),
        v.minValue(1, 'must be at least 1'),
        v.maxValue(most, `must be at most ${most}`),
      ),
      'They are bought once the balance is below; in credits',
      500,
    ),
    credits: bought,
    centsPerMonth: field(cents, 'What that may cost in a calendar month (UTC), in US cents', 5000),
  }),
  status: 200,
  response: topUp,
  codes: ['NO_PAYMENT_METHOD'],
  handle: ({ services, caller, body }) => services.billing.topUps.set(caller.userId, body),
})
