import { CodedError } from '../errors.ts'

export type Feature = 'manual' | 'scheduled' | 'webhooks' | 'workspaces'

/** Limits on an owner's things. Infinity means unlimited, so `count < limit` needs no special case. */
export interface Limits {
  agents: number
  vaultSites: number
  apiKeys: number
  workspaces: number
  workspaceMembers: number
  /** Requests of all logins and API keys together; at least the limit of one key. */
  requestsPerMinute: number
  /** Concurrent event streams in one API process. */
  openStreams: number
  /** Webhook deliveries to all agents together; at least the limit of one agent. */
  deliveriesPerMinute: number
  /** Bytes of payloads and run inputs. */
  inputBytesPerMinute: number
  /** Stored bytes of payloads and tool results. */
  storedBytes: number
  /** Model tokens per calendar month (UTC) for everything that the account pays for. */
  tokensPerMonth: number
}

export const limitNames = [
  'agents',
  'vaultSites',
  'apiKeys',
  'workspaces',
  'workspaceMembers',
  'requestsPerMinute',
  'openStreams',
  'deliveriesPerMinute',
  'inputBytesPerMinute',
  'storedBytes',
  'tokensPerMonth',
] as const satisfies (keyof Limits)[]

interface Tier {
  /** Price per month in US cents; 0 for the free tier. */
  centsPerMonth: number
  /** Granted per calendar month (UTC) on the free tier, and per paid month on the others. Unused credits stay. */
  creditsPerMonth: number
  limits: Limits
  features: readonly Feature[]
}

const { POSITIVE_INFINITY: unlimited } = Number
const MiB = 1024 ** 2
const GiB = 1024 ** 3

/**
 * The subscription tiers (docs/specification.md, "Tiers and credits"). Credits pay for models, so even the highest tier
 * has a finite number.
 */
export const tiers = {
  free: {
    centsPerMonth: 0,
    creditsPerMonth: 200,
    limits: {
      agents: 3,
      vaultSites: 5,
      apiKeys: 3,
      workspaces: 0,
      workspaceMembers: 0,
      requestsPerMinute: 300,
      openStreams: 30,
      deliveriesPerMinute: 0,
      inputBytesPerMinute: 5 * MiB,
      storedBytes: 256 * MiB,
      tokensPerMonth: unlimited,
    },
    features: ['manual', 'scheduled'],
  },
  pro: {
    centsPerMonth: 2_000,
    creditsPerMonth: 5_000,
    limits: {
      agents: 25,
      vaultSites: 50,
      apiKeys: 20,
      workspaces: 0,
      workspaceMembers: 0,
      requestsPerMinute: 600,
      openStreams: 100,
      deliveriesPerMinute: 6_000,
      inputBytesPerMinute: 64 * MiB,
      storedBytes: 8 * GiB,
      tokensPerMonth: unlimited,
    },
    features: ['manual', 'scheduled', 'webhooks'],
  },
  team: {
    centsPerMonth: 8_000,
    creditsPerMonth: 20_000,
    limits: {
      agents: 100,
      vaultSites: 200,
      apiKeys: 50,
      workspaces: 10,
      workspaceMembers: 25,
      requestsPerMinute: 1_800,
      openStreams: 500,
      deliveriesPerMinute: 20_000,
      inputBytesPerMinute: 256 * MiB,
      storedBytes: 64 * GiB,
      tokensPerMonth: unlimited,
    },
    features: ['manual', 'scheduled', 'webhooks', 'workspaces'],
  },
  enterprise: {
    centsPerMonth: 100_000,
    creditsPerMonth: 1_000_000,
    limits: {
      agents: unlimited,
      vaultSites: unlimited,
      apiKeys: unlimited,
      workspaces: unlimited,
      workspaceMembers: unlimited,
      requestsPerMinute: 6_000,
      openStreams: unlimited,
      deliveriesPerMinute: 60_000,
      inputBytesPerMinute: GiB,
      storedBytes: unlimited,
      tokensPerMonth: unlimited,
    },
    features: ['manual', 'scheduled', 'webhooks', 'workspaces'],
  },
} as const satisfies Record<string, Tier>

export type TierName = keyof typeof tiers
export type PaidTierName = Exclude<TierName, 'free'>

export const tierNames = Object.keys(tiers) as TierName[]
export const paidTierNames = tierNames.filter((name): name is PaidTierName => name !== 'free')

/** The tier typed as `Tier`, for code that handles any tier. */
export const tierOf = (name: TierName): Tier => tiers[name]

export const isHigher = (tier: TierName, than: TierName): boolean =>
  tierOf(tier).centsPerMonth > tierOf(than).centsPerMonth

export const higherOf = (one: TierName, other: TierName): TierName => (isHigher(one, other) ? one : other)

export const isPaidTier = (name: string): name is PaidTierName => paidTierNames.some((paid) => paid === name)

const tiersWith = (feature: Feature): TierName[] => tierNames.filter((name) => tierOf(name).features.includes(feature))

/** The error message for a missing feature. */
export const lacksFeature = (tier: TierName | null, feature: Feature): string =>
  `Your tier (${tier ?? 'none'}) does not include ${feature}. These tiers do: ${tiersWith(feature).join(', ')}.`

/** Refuses an owner whose tier lacks the feature: TIER_REQUIRED, with the tiers that have it. */
export function requireFeature(
  { tier, features }: { tier: TierName | null; features: readonly Feature[] },
  feature: Feature,
): void {
  if (features.includes(feature)) return
  throw new CodedError('TIER_REQUIRED', { message: lacksFeature(tier, feature) })
}
