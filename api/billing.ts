import * as v from 'valibot'
import { fieldsOf } from '../src/database/row.ts'
import type { Services } from '../src/services.ts'
import type { AccountStatus } from '../src/billing/account-status.ts'
import { route } from './route/route.ts'
import { paidTierNames, tierNames, tierOf } from '../src/billing/tiers.ts'
import { account, capMeaning, changesAt, subscriptionPreview, tierOffer } from './schemas/billing-schema.ts'
import { documentedBy, field, named } from './schemas/documented.ts'
import { ledgerEntry, ledgerEntryKind } from './schemas/ledger-schema.ts'
import { cap } from './schemas/usage-schema.ts'
import { idOf } from './schemas/example-ids.ts'
import { listOf, ofOwner, pageOf, pagingOfOwner, text, tier, time } from './schemas/schemas.ts'

const paidTier = named('PaidTier', v.picklist(paidTierNames), 'Paid tier')
const paymentMethod = named(
  'PaymentMethod',
  v.object({
    id: idOf('paymentMethod'),
    brand: field(v.string(), 'Brand of the card', 'visa'),
    last4: field(v.string(), 'Last four digits', '4242'),
    createdAt: time,
  }),
  'Card',
)
const shared = { tag: 'billing', access: 'account', status: 200 } as const

/** JSON has no Infinity; an unlimited number becomes null. */
const finite = (limits: Record<string, number>) =>
  Object.fromEntries(Object.entries(limits).map(([name, limit]) => [name, Number.isFinite(limit) ? limit : null]))

/** The public form of an account. The cap and its usage are those of the account or of the named workspace. */
async function present(
  services: Services,
  ownerId: string,
  { total, limits, tokensUsed, ...standing }: AccountStatus,
  isWorkspace = false,
) {
  const usage = await services.billing.usage.of(isWorkspace ? 'workspaces' : 'accounts', ownerId)
  const exceeding = await services.exceeding.of(ownerId)
  // Members of a workspace do not see the payment credit of its owner.
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
  summary: 'Get the billing status',
  description:
    "Returns the tier, its limits, the subscription and the credit balance. A workspace has its owner's " +
    'tier and limits. In a workspace, requires the `admin` or `owner` role. See [Caps and ' +
    'credits](/docs/how-to/caps-and-credits).',
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
  summary: 'Set your monthly credit cap',
  description:
    'Caps the credits that your account can use in a calendar month. At the cap, runs wait until you raise the cap or the month ends, and chat messages are rejected. Workspaces and agents have their own caps.',
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
  summary: 'List tiers',
  description:
    'Cheapest first, with prices, features and limits. The list is empty if payments are turned off on this installation. Does not require an account.',
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
  description: 'Shows the brand and the last four digits of each card.',
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
  description: "In the sandbox, use one of Stripe's test payment methods, such as `pm_card_visa`.",
  body: v.strictObject({
    paymentMethod: field(text(100), 'Id of the payment method at the payment provider', 'pm_card_visa'),
  }),
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
    'Months that have already been paid for are not affected. If no other method or credit covers the next month, the subscription becomes ' +
    '`past_due` and you get a `subscription_past_due` notification.',
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
  summary: 'Subscribe to a tier or switch tiers',
  description:
    'Uses your payment credit (`creditCents`) first, then charges the most recently added payment method. By default, a ' +
    'higher tier takes effect immediately and costs its price minus the value of the unused part of the current month. A lower ' +
    'tier takes effect when the paid month ends. If a paid month ends early, its credits are reduced in proportion to the unused time. Sending the current tier undoes a cancellation or a scheduled change. If the subscription is past due, overdue payments ' +
    'are charged first, unless you switch to a lower tier immediately. Safe to repeat.',
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
  summary: 'Preview a tier change',
  description:
    'Changes nothing. Shows when the change would take effect, what would be charged immediately (if known), and which agents, sites, API keys and workspaces would exceed the new limits. The newest ones are suspended first, and up to 100 of each kind are listed.',
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
  summary: 'Cancel the subscription',
  description:
    "The free tier starts when the paid month ends (`currentPeriodEnd`). It starts immediately if you send `when=now` or if the subscription is past due. Until the subscription ends, you can undo the cancellation at no cost by sending the same tier to `POST /billing/subscription`. An immediate cancellation converts the unused part of the month into payment credit and takes back a proportional share of the month's credits. Anything over the free limits is suspended, not deleted.",
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
  summary: 'List ledger entries',
  description:
    'Newest first. Each entry records a change in credits, a step in a run or chat, or a failed step ' +
    'that was billed. In a workspace, requires the `admin` or `owner` role.',
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
