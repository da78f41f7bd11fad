import * as v from 'valibot'
import { fieldsOf } from '../src/database/row.ts'
import type { Services } from '../src/services.ts'
import type { Standing } from '../src/billing/standing.ts'
import { route } from './route/route.ts'
import { paidTierNames, tierNames, tierOf } from '../src/billing/tiers.ts'
import { account, capMeaning, changesAt, subscriptionPreview, tierOffer } from './schemas/billing-schema.ts'
import { documentedBy, field, named } from './schemas/documented.ts'
import { ledgerEntry, ledgerEntryKind } from './schemas/ledger-schema.ts'
import { cap } from './schemas/usage-schema.ts'
import { id, listOf, ofOwner, pageOf, pagingOfOwner, text, tier, time } from './schemas/schemas.ts'

const paidTier = named('PaidTier', v.picklist(paidTierNames), 'A tier that costs something')
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
const shared = { tag: 'billing', access: 'account', status: 200 } as const

/** JSON has no Infinity; an unlimited number becomes null. */
const finite = (limits: Record<string, number>) =>
  Object.fromEntries(Object.entries(limits).map(([name, limit]) => [name, Number.isFinite(limit) ? limit : null]))

/** An account as it is shown. The cap and what is used of it are those of the account, or of the workspace that is named. */
async function present(
  services: Services,
  ownerId: string,
  { total, limits, tokensUsed, ...standing }: Standing,
  isWorkspace = false,
) {
  const usage = await services.billing.usage.of(isWorkspace ? 'workspaces' : 'accounts', ownerId)
  const exceeding = await services.exceeding.of(ownerId)
  // What its owner is owed is no business of a workspace.
  const creditCents = isWorkspace ? null : standing.creditCents
  const { mode } = services.config.billing
  const balance = isWorkspace && Number.isFinite(standing.balance) ? standing.balance : total
  return {
    ...standing,
    billing: mode,
    balance,
    tokens: isWorkspace ? null : { used: tokensUsed, ...finite({ limit: limits.tokensPerMonth }) },
    creditCents,
    usage,
    creditsPerMonth: usage.cap,
    limits: finite({ ...limits }),
    exceeding,
  }
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
  whenClosed: true,
  query: v.strictObject(ofOwner),
  response: account,
  async handle({ services, caller, ownerId }) {
    const standing = await services.billing.account(ownerId)
    return present(services, ownerId, standing, ownerId !== caller.userId)
  },
})

export const updateBilling = route({
  ...shared,
  name: 'updateBilling',
  audit: { subject: 'subscription' },
  look: ({ services, caller }) => services.billing.usage.of('accounts', caller.userId),
  ofUser: true,
  method: 'patch',
  path: '/billing',
  summary: 'Bound what your account may use in a month',
  description:
    'Runs that are over the cap wait, and go on when it is raised or the month is over; chats are refused. Workspaces and agents have caps of their own.',
  body: v.strictObject({ creditsPerMonth: field(cap, capMeaning, 5000) }),
  response: account,
  async handle({ services, caller, body }) {
    await services.billing.credits.setCap(caller.userId, body)
    return present(services, caller.userId, await services.billing.account(caller.userId))
  },
})

export const listTiers = route({
  name: 'listTiers',
  tag: 'billing',
  access: 'anyone',
  method: 'get',
  path: '/billing/tiers',
  summary: 'List the tiers with their prices, features and limits',
  description: 'In the order of their prices; none where there are no payments. Needs no account.',
  status: 200,
  response: listOf(tierOffer),
  handle: async ({ services }) => ({
    items: (services.config.billing.mode === 'off' ? [] : tierNames).map((name) => {
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
  needsPayments: true,
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
  description:
    'What is paid for stays paid. Without another one, the next month of a subscription is not paid unless credit ' +
    'covers it: it becomes `past_due`, and a notification (`subscription_past_due`) says so.',
  status: 204,
  codes: ['NOT_FOUND'],
  handle: ({ services, caller, params }) =>
    services.billing.paymentMethods.remove(caller.userId, params.paymentMethodId),
})

export const subscribe = route({
  ...shared,
  name: 'subscribe',
  needsPayments: true,
  audit: { subject: 'subscription' },
  look: ({ services, caller }) => services.billing.account(caller.userId),
  ofUser: true,
  method: 'post',
  path: '/billing/subscription',
  summary: 'Subscribe to a tier, or change to it',
  description:
    'Charges the payment method that was added last; none is needed while `creditCents` of GET /billing is the price of ' +
    'the tier or more. A higher tier begins at once with a new month, which costs its price ' +
    'less what is left of the old month; a lower one begins when the month that is paid is over. `when` says otherwise. ' +
    'At once, a lower tier may cost less than what is left: the rest is credited to later payments of subscriptions. ' +
    'The share of the old month that is left takes the same share of its credits back. The present tier takes a cancellation or a planned change ' +
    'back. While the subscription is past due, what is overdue is paid first, unless the tier is a lower one: that takes ' +
    'its place at once (but not with `period_end`). Safe to repeat.',
  body: v.strictObject({ tier: documentedBy(text(20), paidTier), when: v.optional(changesAt) }),
  response: account,
  codes: ['NO_PAYMENT_METHOD', 'PAYMENT_FAILED'],
  async handle({ services, caller, body }) {
    return present(services, caller.userId, await services.billing.subscriptions.subscribe(caller.userId, body))
  },
})

export const previewSubscription = route({
  ...shared,
  name: 'previewSubscription',
  needsPayments: true,
  ofUser: true,
  method: 'get',
  path: '/billing/subscription/preview',
  summary: 'See what a change to a tier would do',
  description:
    'Changes nothing, and asks nobody. Says when the tier would come, what the card would be charged at once, if that is known, ' +
    'and what would exceed its limits: agents that pause, sites that are not called, API keys that are refused, and workspaces, ' +
    'which a tier without them closes. Those that are newest rest; up to 100 of each kind are named. Limits that the operator has ' +
    'set for the account count.',
  query: v.strictObject({ tier, when: v.optional(changesAt) }),
  response: subscriptionPreview,
  handle: ({ services, caller, query }) => services.billing.preview(caller.userId, query),
})

export const cancelSubscription = route({
  ...shared,
  name: 'cancelSubscription',
  needsPayments: true,
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
    'One for what was added each time, one for each step of a run or a chat, and one for each that failed and was billed.',
  owner: 'query',
  needs: 'administer',
  whenClosed: true,
  query: v.strictObject({ ...pagingOfOwner, kind: v.optional(ledgerEntryKind) }),
  response: pageOf(ledgerEntry),
  async handle({ services, ownerId, query }) {
    const page = await services.billing.credits.ledger(ownerId, query)
    return { ...page, items: page.items.map((row) => ({ ...fieldsOf(row), costUsd: inUsd(row.costNanoUsd) })) }
  },
})
