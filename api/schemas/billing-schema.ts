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
export const tierOffer = named(
  'TierOffer',
  v.object({
    name: tier,
    currency: field(v.literal('usd'), 'The currency of the price'),
    centsPerMonth: field(whole, 'The price of a month; 0 for the free tier', 2000),
    creditsPerMonth: field(
      whole,
      'Granted once per calendar month (UTC) of the free tier, and with each month of another one that is paid',
      5000,
    ),
    limits,
    features: field(v.array(feature), 'What the tier includes'),
  }),
  'A tier, with its price and what it allows',
)
export const capMeaning =
  'How many credits everything that it pays for may use in a calendar month (UTC), its workspaces included; null for as many as there are'

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
const tokens = named(
  'MonthTokens',
  v.object({
    used: field(whole, 'The tokens that everything the account pays for has used in this calendar month (UTC)', 12_000),
    limit: field(v.nullable(whole), 'How many it may use; null for any number', 10_000_000),
  }),
  'What is used of the limit of tokens in the present month',
)
export const account = named(
  'BillingAccount',
  v.object({
    billing: named(
      'BillingMode',
      v.picklist(['off', 'sandbox', 'stripe']),
      'off: there are no payments, tiers or credits to buy · sandbox: no money moves · stripe',
      'sandbox',
    ),
    tier: field(v.nullable(tier), 'null where there are no payments', 'pro'),
    limits,
    features: field(v.array(feature), 'What the tier includes'),
    subscription: field(v.nullable(subscription), 'null for the free tier'),
    tokens: field(v.nullable(tokens), 'null for a workspace'),
    balance: field(
      whole,
      'Credits: the sum of the ledger; of a workspace, what it may use, which its cap may bound. Negative for a debt. Where ' +
        'there are no payments, nothing changes it',
      4980,
    ),
    creditCents: field(
      v.nullable(whole),
      'What is credited to later payments of subscriptions, in US cents, as the payment provider has said last. Negative for a debt, ' +
        'which the next of them adds; null for a workspace',
      0,
    ),
    creditsPerMonth: field(v.nullable(whole), capMeaning, null),
    usage,
    exceeding: field(
      exceeding,
      'What exceeds the limits, as after a change to a lower tier: kept, and resting until there is room',
    ),
  }),
  'What an account may use, and what it pays for',
)

export const changesAt = named(
  'ChangesAt',
  v.picklist(['now', 'period_end'], 'must be now or period_end'),
  'At once, or when the month that is paid is over',
)

const restingThing = named(
  'RestingThing',
  v.object({
    kind: named('RestingKind', v.picklist(previewedKinds), 'Which limit it exceeds', 'agents'),
    id,
    name: field(v.string(), 'What it is called', 'Triage'),
  }),
  'Something that a tier has no room for',
)

export const subscriptionPreview = named(
  'SubscriptionPreview',
  v.object({
    tier,
    at: changesAt,
    effectiveAt: field(time, 'When the tier would be that of the account'),
    cents: field(
      v.nullable(whole),
      'What the card would be charged at once, in US cents; null if it depends on what is left of the month, or is overdue',
      0,
    ),
    centsPerMonth: field(whole, 'The price of each month from then on, in US cents', 2000),
    lostFeatures: field(v.array(feature), 'What the account could not do any more'),
    exceeding,
    resting: field(v.array(restingThing), 'What exceeds the limits, the newest first, up to 100 of each kind'),
  }),
  'What a change to a tier would do',
)
