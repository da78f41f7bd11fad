import { CodedError } from '../errors.ts'

export type Feature = 'manual' | 'scheduled' | 'webhooks' | 'workspaces'

/** How many of each an owner may have. Unlimited is Infinity, so that `count < limit` holds without a special case. */
export interface Limits {
  agents: number
  vaultSites: number
  apiKeys: number
  workspaceMembers: number
}

interface Tier {
  /** Price of one month in cents (US dollars); 0 is the tier everybody has without paying. */
  centsPerMonth: number
  /** Granted once per calendar month (UTC); what is left over stays. */
  creditsPerMonth: number
  limits: Limits
  features: readonly Feature[]
}

const { POSITIVE_INFINITY: unlimited } = Number

/**
 * The subscription tiers (docs/specification.md, "Tiers and credits"). Credits are money spent on models, therefore
 * even the highest tier has a number of them.
 */
export const tiers = {
  free: {
    centsPerMonth: 0,
    creditsPerMonth: 200,
    limits: { agents: 3, vaultSites: 5, apiKeys: 3, workspaceMembers: 0 },
    features: ['manual', 'scheduled'],
  },
  pro: {
    centsPerMonth: 2_000,
    creditsPerMonth: 5_000,
    limits: { agents: 25, vaultSites: 50, apiKeys: 20, workspaceMembers: 0 },
    features: ['manual', 'scheduled', 'webhooks'],
  },
  team: {
    centsPerMonth: 8_000,
    creditsPerMonth: 20_000,
    limits: { agents: 100, vaultSites: 200, apiKeys: 50, workspaceMembers: 25 },
    features: ['manual', 'scheduled', 'webhooks', 'workspaces'],
  },
  enterprise: {
    centsPerMonth: 100_000,
    creditsPerMonth: 1_000_000,
    limits: { agents: unlimited, vaultSites: unlimited, apiKeys: unlimited, workspaceMembers: unlimited },
    features: ['manual', 'scheduled', 'webhooks', 'workspaces'],
  },
} as const satisfies Record<string, Tier>

export type TierName = keyof typeof tiers
export type PaidTierName = Exclude<TierName, 'free'>

export const tierNames = Object.keys(tiers) as TierName[]
export const paidTierNames = tierNames.filter((name): name is PaidTierName => name !== 'free')

/** The tier as its interface, for code that handles any of them. */
export const tierOf = (name: TierName): Tier => tiers[name]

export const isPaidTier = (name: string): name is PaidTierName => paidTierNames.some((paid) => paid === name)

/** The tiers that include a feature. */
const tiersWith = (feature: Feature): TierName[] => tierNames.filter((name) => tierOf(name).features.includes(feature))

/** Refuses an owner whose tier lacks the feature: TIER_REQUIRED, with a sentence that names the tiers that have it. */
export function requireFeature({ tier }: { tier: TierName }, feature: Feature): void {
  if (tierOf(tier).features.includes(feature)) return
  throw new CodedError('TIER_REQUIRED', {
    message: `Your tier, ${tier}, does not include ${feature}. The tiers that do: ${tiersWith(feature).join(', ')}.`,
  })
}
