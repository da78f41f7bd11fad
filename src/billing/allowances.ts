import type { Config } from '../config/config.ts'
import type { Account } from './account.ts'
import { higherOf, tierOf, tiers, type Feature, type Limits, type TierName } from './tiers.ts'

export interface Allowance {
  /** null in an installation without tiers. */
  tier: TierName | null
  limits: Limits
  features: readonly Feature[]
}

/** A hint that is true with and without tiers. */
export const howToGetMore = 'To raise the limit, upgrade your tier or ask the platform operator.'

/** The inputs: the paid tier, the tier that an admin gave, and the limits that an admin set. */
export interface Allowed {
  tier?: TierName | null | undefined
  givenTier?: TierName | null | undefined
  limits?: Account['limits'] | undefined
}

/**
 * Computes what accounts may have: the higher of the paid and the given tier, or without payments all features and the
 * operator's limits. A limit that an admin has set for the account overrides either.
 */
export function createAllowances({ config }: { config: Pick<Config, 'billing'> }) {
  const { mode, limits: everybodys } = config.billing

  return {
    of: ({ tier, givenTier, limits }: Allowed): Allowance => {
      if (mode === 'off') return { tier: null, features: allFeatures, limits: { ...everybodys, ...set(limits) } }
      const name = higherOf(tier ?? 'free', givenTier ?? 'free')
      const { limits: usual, features } = tierOf(name)
      return { tier: name, features, limits: { ...usual, ...set(limits) } }
    },
  }
}

export type Allowances = ReturnType<typeof createAllowances>

/** The highest tier has every feature. */
const allFeatures: readonly Feature[] = tiers.enterprise.features

/** The limits that are set. null means unlimited, because JSON has no Infinity. */
const set = (limits: Account['limits'] | undefined): Partial<Limits> =>
  Object.fromEntries(Object.entries(limits ?? {}).map(([name, limit]) => [name, limit ?? Infinity]))
