import type { Config } from '../config/config.ts'
import type { Account } from './account.ts'
import { higherOf, tierOf, tiers, type Feature, type Limits, type TierName } from './tiers.ts'

/** What an account may have and do. */
export interface Allowance {
  /** null where there are no tiers. */
  tier: TierName | null
  limits: Limits
  features: readonly Feature[]
}

/** How to get past a limit, in a sentence that is true with tiers and without them. */
export const howToGetMore = 'To raise the limit, upgrade your tier or ask the operator of this platform.'

/** What an account has: a tier that is paid for, one that an admin has given, and limits that an admin has set. */
export interface Allowed {
  tier?: TierName | null | undefined
  givenTier?: TierName | null | undefined
  limits?: Account['limits'] | undefined
}

/**
 * Says what accounts may have: the higher of the tier that is paid for and the one that was given; where there are no
 * payments, every feature and the operator's limits. A limit that an admin has set for the account replaces either.
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

/** The highest tier has them all. */
const allFeatures: readonly Feature[] = tiers.enterprise.features

/** Those that were set; JSON has no Infinity, so any number is null there. */
const set = (limits: Account['limits'] | undefined): Partial<Limits> =>
  Object.fromEntries(Object.entries(limits ?? {}).map(([name, limit]) => [name, limit ?? Infinity]))
