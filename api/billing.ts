import * as v from 'valibot'
import { fieldsOf } from '../src/database/row.ts'
import type { Services } from '../src/services.ts'
import type { Standing } from '../src/billing/standing.ts'
import { route } from './route/route.ts'
import { ledgerEntryKinds } from '../src/billing/ledger-entry.ts'
import { paidTierNames, tierNames, tierOf, tiers } from '../src/billing/tiers.ts'
import { documentedBy, field, freeObject, named, whole } from './schemas/documented.ts'
import { id, listOf, ofOwner, pageOf, pagingOfOwner, text, time, tier } from './schemas/schemas.ts'

const paidTier = named('PaidTier', v.picklist(paidTierNames), 'A tier that costs something')
const changesAt = named(
  'ChangesAt',
  v.picklist(['now', 'period_end'], 'must be now or period_end'),
  'At once, or when the month that is paid is over',
)
const feature = named(
  'Feature',
  // The highest tier has them all.
  v.picklist(tiers.enterprise.features),
  'What a tier includes: what may start agents, and workspaces',
)
const limits = named(
  'Limits',
  v.record(v.string(), v.nullable(v.number())),
  'How many of each the account may have, by name; null for any number',
  { agents: 25, vaultSites: 50, apiKeys: 20, workspaceMembers: 0 },
)
const subscription = named(
  'Subscription',
  v.object({
    tier,
    status: named(
      'SubscriptionStatus',
      v.picklist(['active', 'past_due']),
      'past_due: the payment has failed; it is tried again for some days, then the subscription ends',
    ),
    currentPeriodEnd: field(time, 'Until when it is paid'),
    nextTier: field(v.nullable(tier), 'What follows then if it is not the same', null),
    cancelledAt: field(
      v.nullable(time),
      'Since when it is cancelled; the free tier follows at `currentPeriodEnd`',
      null,
    ),
  }),
  'What the account pays for',
)
const tierOffer = named(
  'TierOffer',
  v.object({
    name: tier,
    currency: field(v.literal('usd'), 'The currency of the price'),
    centsPerMonth: field(whole, 'The price of a month; 0 for the free tier', 2000),
    creditsPerMonth: field(whole, 'Granted once per calendar month (UTC)', 5000),
    limits,
    features: field(v.array(feature), 'What the tier includes'),
  }),
  'A tier, with its price and what it allows',
)
const exceeding = named(
  'Exceeding',
  v.object({
    agents: field(whole, 'Agents that are paused: the newest', 0),
    vaultSites: field(whole, 'Sites whose tools are not called: the newest', 0),
    apiKeys: field(whole, 'API keys that are refused: the newest', 0),
    workspaces: field(whole, 'Workspaces beyond the limit', 0),
  }),
  'How many of each exceed the limits',
)
const account = named(
  'BillingAccount',
  v.object({
    tier,
    limits,
    features: field(v.array(feature), 'What the tier includes'),
    subscription: field(v.nullable(subscription), 'null for the free tier'),
    balance: field(whole, 'Credits', 4980),
    exceeding: field(
      exceeding,
      'What exceeds the limits, as after a change to a lower tier: kept, and resting until there is room',
    ),
  }),
  'What an account may use, and what it pays for',
)
const paymentMethod = named(
  'PaymentMethod',
  v.object({
    id,
    brand: field(v.string(), 'The brand of the card', 'visa'),
    last4: field(v.string(), 'The last four digits', '4242'),
    createdAt: time,
  }),
  'A card',
)
const usedPrice = freeObject('UsedPrice', 'A price in USD per million tokens, and its source', {
  source: 'genai-prices',
  input: 0.25,
  output: 2,
  cacheRead: 0.025,
  cacheWrite: 0.25,
})
const ledgerEntry = named(
  'LedgerEntry',
  v.object({
    id,
    kind: named(
      'LedgerEntryKind',
      v.picklist(ledgerEntryKinds),
      'grant: the credits of a month · purchase, top_up: credits that were bought · promotion: credits that were given ' +
        'away · expiry: what has expired · refund: what was taken back with a payment · step: what a step cost · failed_step: what a failed attempt at a step cost, ' +
        'because the provider billed it · chat_step: what a step of an answer in a chat cost',
    ),
    credits: field(whole, 'The change; negative for what was used', -1),
    balanceAfter: field(whole, 'The balance after it', 4980),
    period: field(v.nullable(v.string()), 'Of a grant: the month', null),
    runId: field(v.nullable(v.string()), 'Of a step: its run', '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a10'),
    answerId: field(v.nullable(v.string()), 'Of a step of a chat: its answer', null),
    step: field(v.nullable(whole), 'Of a step: its number', 1),
    attempt: field(v.nullable(whole), 'Of a failed step: the attempt', null),
    costUsd: field(v.nullable(v.number()), 'Of a step: its cost in USD; null if no price is known', 0.0012),
    price: field(v.nullable(usedPrice), 'Of a step: the price that was used', null),
    createdAt: time,
  }),
  'A change of the credit balance',
)

const shared = { tag: 'billing', access: 'account', status: 200 } as const

/** JSON has no Infinity; an unlimited number becomes null. */
const finite = (limits: Record<string, number>) =>
  Object.fromEntries(Object.entries(limits).map(([name, limit]) => [name, Number.isFinite(limit) ? limit : null]))

/** An account as it is shown. */
async function present(services: Services, ownerId: string, { limits, ...standing }: Standing) {
  const over = await services.exceeding.of(ownerId)
  return { ...standing, limits: finite({ ...limits }), exceeding: over }
}

const inUsd = (nanoUsd: number | null): number | null => (nanoUsd === null ? null : nanoUsd / 1e9)

export const getBilling = route({
  ...shared,
  name: 'getBilling',
  method: 'get',
  path: '/billing',
  summary: 'Get the tier, limits, subscription and credit balance',
  description: 'A limit of null means any number. Those of a workspace are those of its owner.',
  owner: 'query',
  needs: 'administer',
  query: v.strictObject(ofOwner),
  response: account,
  async handle({ services, ownerId }) {
    return present(services, ownerId, await services.billing.account(ownerId))
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
  response: listOf(tierOffer),
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
  ofUser: true,
  method: 'get',
  path: '/billing/payment-methods',
  summary: 'List payment methods',
  description: 'Only what identifies a card to its owner.',
  response: listOf(paymentMethod),
  handle: async ({ services, caller }) => ({ items: await services.billing.paymentMethods.list(caller.userId) }),
})

export const addPaymentMethod = route({
  ...shared,
  name: 'addPaymentMethod',
  audit: { subject: 'payment_method' },
  ofUser: true,
  method: 'post',
  path: '/billing/payment-methods',
  summary: 'Add a payment method',
  description: "In the sandbox, use Stripe's test names, for example `pm_card_visa`.",
  body: v.strictObject({ paymentMethod: field(text(100), 'Its name at the gateway', 'pm_card_visa') }),
  status: 201,
  response: paymentMethod,
  codes: ['PAYMENT_FAILED', 'FEATURE_LIMIT_REACHED'],
  handle: ({ services, caller, body }) => services.billing.paymentMethods.add(caller.userId, body),
})

export const removePaymentMethod = route({
  ...shared,
  name: 'removePaymentMethod',
  audit: { subject: 'payment_method' },
  ofUser: true,
  method: 'delete',
  path: '/billing/payment-methods/{paymentMethodId}',
  summary: 'Remove a payment method',
  description: 'What is paid for stays paid.',
  status: 204,
  codes: ['NOT_FOUND'],
  handle: ({ services, caller, params }) =>
    services.billing.paymentMethods.remove(caller.userId, params.paymentMethodId),
})

export const subscribe = route({
  ...shared,
  name: 'subscribe',
  audit: { subject: 'subscription' },
  look: ({ services, caller }) => services.billing.account(caller.userId),
  ofUser: true,
  method: 'post',
  path: '/billing/subscription',
  summary: 'Subscribe to a tier, or change to it',
  description:
    'Charges the payment method that was added last. A higher tier begins at once with a new month, which costs its price ' +
    'less what is left of the old month; a lower one begins when the month that is paid is over. `when` says otherwise. ' +
    'At once, a lower tier costs less than what is left: the rest is credited to later payments of subscriptions, and ' +
    'the same share of the month’s credits is taken back. The present tier takes a cancellation or a planned change ' +
    'back. While the subscription is past due, what is overdue is paid first. Safe to repeat.',
  body: v.strictObject({ tier: documentedBy(text(20), paidTier), when: v.optional(changesAt) }),
  response: account,
  codes: ['NO_PAYMENT_METHOD', 'PAYMENT_FAILED'],
  async handle({ services, caller, body }) {
    return present(services, caller.userId, await services.billing.subscriptions.subscribe(caller.userId, body))
  },
})

export const cancelSubscription = route({
  ...shared,
  name: 'cancelSubscription',
  audit: { subject: 'subscription' },
  look: ({ services, caller }) => services.billing.account(caller.userId),
  ofUser: true,
  method: 'delete',
  path: '/billing/subscription',
  summary: 'Return to the free tier',
  description:
    'At the end of the month that is paid (`currentPeriodEnd`), or at once with `?when=now`, and always if the ' +
    'subscription is past due. Until then `POST /billing/subscription` for the same tier takes it back without another ' +
    'payment. At once, what is left of the month is credited to later payments of subscriptions, and the same share of ' +
    'its credits is taken back. What exceeds the limits of the free tier is kept and rests; webhooks are refused.',
  query: v.strictObject({ when: v.optional(changesAt) }),
  response: account,
  codes: ['NOT_FOUND'],
  async handle({ services, caller, query }) {
    return present(services, caller.userId, await services.billing.subscriptions.cancel(caller.userId, query.when))
  },
})

export const listLedger = route({
  ...shared,
  name: 'listLedger',
  method: 'get',
  path: '/billing/ledger',
  summary: 'List the changes of the credit balance, newest first',
  description:
    'One for the credits of each month, one for each step of a run, and one for each that failed and was billed.',
  owner: 'query',
  needs: 'administer',
  query: v.strictObject(pagingOfOwner),
  response: pageOf(ledgerEntry),
  async handle({ services, ownerId, query }) {
    const page = await services.billing.credits.ledger(ownerId, query)
    return { ...page, items: page.items.map((row) => ({ ...fieldsOf(row), costUsd: inUsd(row.costNanoUsd) })) }
  },
})
