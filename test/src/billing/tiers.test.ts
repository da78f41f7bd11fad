import test from 'ava'
import { createAllowances } from '../../../src/billing/allowances.ts'
import {
  isHigher,
  isPaidTier,
  paidTierNames,
  requireFeature,
  tierNames,
  tierOf,
  type Limits,
} from '../../../src/billing/tiers.ts'
import { testConfig } from '../../helpers/config.ts'

test('a feature that the tier lacks is refused with the names of the tiers that have it', (t) => {
  const error = t.throws(() => requireFeature({ tier: 'free', ...tierOf('free') }, 'webhooks'))
  t.like(error, {
    code: 'TIER_REQUIRED',
    message: 'Your tier (free) does not include webhooks. These tiers do: pro, team, enterprise.',
  })
  t.notThrows(() => requireFeature({ tier: 'pro', ...tierOf('pro') }, 'webhooks'))
})

test('a higher tier has all that a lower one has', (t) => {
  for (const [index, name] of tierNames.entries()) {
    const lower = tierOf(tierNames[Math.max(0, index - 1)] ?? name)
    const tier = tierOf(name)
    t.true(lower.features.every((feature) => tier.features.includes(feature)))
    t.true(tier.creditsPerMonth >= lower.creditsPerMonth && tier.centsPerMonth >= lower.centsPerMonth)
    for (const limit of Object.keys(tier.limits) as (keyof Limits)[]) t.true(tier.limits[limit] >= lower.limits[limit])
  }
})

test('tiers are ordered by price, and all but the free one are paid', (t) => {
  t.deepEqual(paidTierNames, ['pro', 'team', 'enterprise'])
  for (const [index, tier] of tierNames.entries()) {
    t.is(isPaidTier(tier), index > 0, tier)
    for (const [other, than] of tierNames.entries()) t.is(isHigher(tier, than), index > other, `${tier}, ${than}`)
  }
  t.false(isPaidTier('platinum'))
})

test('of a tier that is paid for and one that was given the higher one counts, and limits of its own in any case', (t) => {
  const { of } = createAllowances({ config: testConfig('postgres://unused') })
  for (const [tier, givenTier, counts] of [
    ['free', 'pro', 'pro'],
    ['team', 'pro', 'team'],
    ['pro', null, 'pro'],
    [undefined, undefined, 'free'],
  ] as const) {
    const { limits, features } = tierOf(counts)
    t.deepEqual(of({ tier, givenTier }), { tier: counts, limits, features })
    const own = { ...limits, agents: 1, apiKeys: Infinity }
    t.deepEqual(of({ tier, givenTier, limits: { agents: 1, apiKeys: null } }).limits, own)
  }
})
