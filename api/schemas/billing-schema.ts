import * as v from 'valibot'
import { previewedKinds } from '../../src/billing/preview.ts'
import { tiers } from '../../src/billing/tiers.ts'
import { field, named, whole } from './documented.ts'
import { id, tier, time } from './schemas.ts'
import { usage } from './usage-schema.ts'

const feature = named(
  'Feature',
  // The highest tier has them all.
  v.picklist(tiers.enterprise.features),
  'Tier feature: workspaces, or an agent trigger',
)
const limits = named(
  'Limits',
  v.record(v.string(), v.nullable(v.number())),
  'Account limits, by name. Null means unlimited.',
  { agents: 25, vaultSites: 50, apiKeys: 20, workspaceMembers: 0 },
)
const subscription = named(
  'Subscription',
  v.object({
    tier,
    status: named(
      'SubscriptionStatus',
      v.picklist(['active', 'past_due']),
      '`past_due`: the payment failed. It will be retried for a few days, and then the subscription will end.',
    ),
    currentPeriodEnd: field(time, 'End of the paid month'),
    nextTier: field(v.nullable(tier), 'Tier after the paid month. Null if the tier stays the same.', null),
    cancelledAt: field(
      v.nullable(time),
      'When the subscription was cancelled. The free tier starts at `currentPeriodEnd`. Null if not cancelled.',
      null,
    ),
  }),
  'Account subscription',
)
export const tierOffer = named(
  'TierOffer',
  v.object({
    name: tier,
    currency: field(v.literal('usd'), 'Currency of the price'),
    centsPerMonth: field(whole, 'Price per month, in US cents. 0 for the free tier.', 2000),
    creditsPerMonth: field(
      whole,
      'Credits granted per month: each calendar month (UTC) on the free tier, or each paid month',
      5000,
    ),
    limits,
    features: field(v.array(feature), 'Features that the tier includes'),
  }),
  'Tier, including its price, limits and features',
)
export const capMeaning =
  'Credits that the account and its workspaces can use per calendar month (UTC). Null if there is no limit.'

const exceeding = named(
  'Exceeding',
  v.object({
    agents: field(whole, 'Agents over the limit. The newest are paused.', 0),
    vaultSites: field(whole, "Sites over the limit. The newest sites' tools are not called.", 0),
    apiKeys: field(whole, 'API keys over the limit. The newest are rejected.', 0),
    workspaces: field(whole, 'Workspaces over the limit', 0),
  }),
  'Number of items over the limits',
)
const tokens = named(
  'MonthTokens',
  v.object({
    used: field(whole, 'Tokens used this calendar month (UTC), including in workspaces', 12_000),
    limit: field(v.nullable(whole), 'Tokens allowed per month. Null if there is no limit.', 10_000_000),
  }),
  'Tokens used this month, and the limit',
)
export const account = named(
  'BillingAccount',
  v.object({
    billing: named(
      'BillingMode',
      v.picklist(['off', 'sandbox', 'stripe']),
      '`off`: no payments, tiers or credits to buy. `sandbox`: payments without real money. `stripe`: payments through Stripe.',
      'sandbox',
    ),
    tier: field(v.nullable(tier), "The account's tier, or null if payments are off on this installation", 'pro'),
    limits,
    features: field(v.array(feature), 'Features that the tier includes'),
    subscription: field(v.nullable(subscription), 'Subscription. Null for the free tier.'),
    tokens: field(v.nullable(tokens), 'Tokens used this month, and their limit. Null for a workspace.'),
    balance: field(
      whole,
      'Remaining credits or, for a workspace, the credits that it can use within its limit. Negative if the account owes credits. The balance does not change while payments are off on this installation.',
      4980,
    ),
    creditCents: field(
      v.nullable(whole),
      'Credit toward later subscription payments, in US cents, as last reported by the payment provider. Negative for a debt that is added to the next payment. Null for a workspace.',
      0,
    ),
    creditsPerMonth: field(v.nullable(whole), capMeaning, null),
    usage,
    exceeding: field(
      exceeding,
      'Items over the limits, for example after a downgrade. They are kept but suspended until there is room.',
    ),
  }),
  "An account's tier, limits and balance",
)

export const changesAt = named(
  'ChangesAt',
  v.picklist(['now', 'period_end'], 'must be now or period_end'),
  'When a change takes effect: immediately, or at the end of the paid month',
)

const restingThing = named(
  'RestingThing',
  v.object({
    kind: named('RestingKind', v.picklist(previewedKinds), 'Limit that is exceeded', 'agents'),
    id,
    name: field(v.string(), 'Display name', 'Triage'),
  }),
  'Item over a limit',
)

export const subscriptionPreview = named(
  'SubscriptionPreview',
  v.object({
    tier,
    at: changesAt,
    effectiveAt: field(time, 'When the tier would change'),
    cents: field(
      v.nullable(whole),
      'Immediate charge, in US cents. Null if it depends on the rest of the month or on an overdue payment.',
      0,
    ),
    centsPerMonth: field(whole, 'Price per month after the change, in US cents', 2000),
    lostFeatures: field(v.array(feature), 'Features that the account would lose'),
    exceeding,
    resting: field(v.array(restingThing), 'Items over the limits, newest first, at most 100 of each kind'),
  }),
  'Effect of a tier change',
)
