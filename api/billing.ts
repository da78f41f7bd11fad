import * as v from 'valibot'
import { tierNames, tierOf } from '../src/billing/tiers.ts'
import { route } from './route/route.ts'
import { id, pageOf, paging, text, time } from './schemas/schemas.ts'

const account = v.object({
  tier: v.string(),
  limits: v.record(v.string(), v.nullable(v.number())),
  features: v.array(v.string()),
  subscription: v.nullable(
    v.object({
      tier: v.string(),
      status: v.picklist(['active', 'past_due']),
      currentPeriodEnd: time,
      cancelledAt: v.pipe(
        v.nullable(time),
        v.metadata({ description: 'Since when it is cancelled; the free tier follows at `currentPeriodEnd`' }),
      ),
    }),
  ),
  balance: v.pipe(v.number(), v.metadata({ description: 'Credits' })),
})
const tier = v.object({
  name: v.picklist(tierNames),
  currency: v.literal('usd'),
  centsPerMonth: v.pipe(v.number(), v.metadata({ description: 'The price of a month; 0 for the free tier' })),
  creditsPerMonth: v.pipe(v.number(), v.metadata({ description: 'Granted once per calendar month (UTC)' })),
  limits: v.pipe(
    v.record(v.string(), v.nullable(v.number())),
    v.metadata({ description: 'How many of each an owner may have; null: as many as you like' }),
  ),
  features: v.array(v.string()),
})
const paymentMethod = v.object({ id, brand: v.string(), last4: v.string(), createdAt: time })
const ledgerEntry = v.object({
  id,
  kind: v.picklist(['grant', 'step']),
  credits: v.number(),
  balanceAfter: v.number(),
  period: v.nullable(v.string()),
  runId: v.nullable(v.string()),
  step: v.nullable(v.number()),
  createdAt: time,
})

const shared = { tag: 'billing', access: 'account', status: 200 } as const

/** JSON has no Infinity; an unlimited number becomes null. */
const finite = (limits: Record<string, number>) =>
  Object.fromEntries(Object.entries(limits).map(([name, limit]) => [name, Number.isFinite(limit) ? limit : null]))

export const getBilling = route({
  ...shared,
  name: 'getBilling',
  method: 'get',
  path: '/billing',
  summary: 'Get the tier, limits, subscription and credit balance',
  response: account,
  async handle({ services, caller }) {
    const standing = await services.billing.account(caller.userId)
    return { ...standing, limits: finite({ ...standing.limits }) }
  },
})

export const listTiers = route({
  name: 'listTiers',
  tag: 'billing',
  access: 'anyone',
  method: 'get',
  path: '/billing/tiers',
  summary: 'List the tiers with their prices, features and limits',
  description: 'In the order of their prices. Needs no account.',
  status: 200,
  response: v.object({ items: v.array(tier) }),
  handle: async () => ({
    items: tierNames.map((name) => {
      const { limits, ...rest } = tierOf(name)
      return { name, currency: 'usd', ...rest, limits: finite({ ...limits }) }
    }),
  }),
})

export const listPaymentMethods = route({
  ...shared,
  name: 'listPaymentMethods',
  method: 'get',
  path: '/billing/payment-methods',
  summary: 'List payment methods',
  response: v.object({ items: v.array(paymentMethod) }),
  handle: async ({ services, caller }) => ({ items: await services.billing.paymentMethods.list(caller.userId) }),
})

export const addPaymentMethod = route({
  ...shared,
  name: 'addPaymentMethod',
  method: 'post',
  path: '/billing/payment-methods',
  summary: 'Add a payment method',
  description: "In the sandbox, use Stripe's test names, for example `pm_card_visa`.",
  body: v.strictObject({ paymentMethod: text(100) }),
  status: 201,
  response: paymentMethod,
  codes: ['PAYMENT_FAILED', 'FEATURE_LIMIT_REACHED'],
  handle: ({ services, caller, body }) => services.billing.paymentMethods.add(caller.userId, body),
})

export const removePaymentMethod = route({
  ...shared,
  name: 'removePaymentMethod',
  method: 'delete',
  path: '/billing/payment-methods/{paymentMethodId}',
  summary: 'Remove a payment method',
  status: 204,
  codes: ['NOT_FOUND'],
  handle: ({ services, caller, params }) =>
    services.billing.paymentMethods.remove(caller.userId, params.paymentMethodId),
})

export const subscribe = route({
  ...shared,
  name: 'subscribe',
  method: 'post',
  path: '/billing/subscription',
  summary: 'Pay for a month of a tier',
  body: v.strictObject({ tier: text(20) }),
  response: account,
  codes: ['NO_PAYMENT_METHOD', 'PAYMENT_FAILED'],
  async handle({ services, caller, body }) {
    const standing = await services.billing.subscriptions.subscribe(caller.userId, body)
    return { ...standing, limits: finite({ ...standing.limits }) }
  },
})

export const cancelSubscription = route({
  ...shared,
  name: 'cancelSubscription',
  method: 'delete',
  path: '/billing/subscription',
  summary: 'Return to the free tier',
  description:
    'At the end of the month that is paid (`currentPeriodEnd`), or at once if the subscription is past due. Until then ' +
    '`POST /billing/subscription` for the same tier takes it back without another payment. Nothing is paid back. ' +
    'Credits, agents and sites beyond the limits of the free tier stay, but no more can be added; webhooks are refused.',
  response: account,
  codes: ['NOT_FOUND'],
  async handle({ services, caller }) {
    const standing = await services.billing.subscriptions.cancel(caller.userId)
    return { ...standing, limits: finite({ ...standing.limits }) }
  },
})

export const listLedger = route({
  ...shared,
  name: 'listLedger',
  method: 'get',
  path: '/billing/ledger',
  summary: 'List the changes of the credit balance, newest first',
  query: v.strictObject(paging),
  response: pageOf(ledgerEntry),
  handle: ({ services, caller, query }) => services.billing.credits.ledger(caller.userId, query),
})
