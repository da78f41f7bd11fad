import test from 'ava'
import type { Account } from '../../../src/billing/account.ts'
import type { When } from '../../../src/billing/gateways/gateway.ts'
import { changeTo } from '../../../src/billing/preview.ts'
import type { TierName } from '../../../src/billing/tiers.ts'

type Of = Partial<Pick<Account, 'subscription' | 'subscriptionStatus' | 'tier' | 'nextTier' | 'creditCents'>>

const nothing = { subscription: null, subscriptionStatus: null, tier: 'free', nextTier: null, creditCents: 0 } as const
const team = { subscription: 'sub_1', subscriptionStatus: 'active', tier: 'team' } as const

const rows: [what: string, account: Of, tier: TierName, when: When | undefined, at: When, cents: number | null][] = [
  ['a first month costs its price', {}, 'pro', undefined, 'now', 2000],
  ['less what is credited', { creditCents: 500 }, 'pro', undefined, 'now', 1500],
  ['which may be more', { creditCents: 5000 }, 'pro', undefined, 'now', 0],
  ['and with a debt', { creditCents: -100 }, 'pro', undefined, 'now', 2100],
  ['the free tier is there already', {}, 'free', 'period_end', 'now', 0],
  ['a lower tier comes with the next month', team, 'pro', undefined, 'period_end', 0],
  ['or at once, for what the provider says', team, 'pro', 'now', 'now', null],
  ['a lower tier that is to follow already', { ...team, nextTier: 'pro' }, 'pro', undefined, 'period_end', 0],
  ['a higher tier comes at once', team, 'enterprise', undefined, 'now', null],
  ['or with the next month', team, 'enterprise', 'period_end', 'period_end', 0],
  ['the present tier changes nothing', team, 'team', undefined, 'now', 0],
  ['or takes a change back', { ...team, nextTier: 'free' }, 'team', undefined, 'now', 0],
  ['the end comes with the end of the month', team, 'free', undefined, 'period_end', 0],
  ['or at once', team, 'free', 'now', 'now', 0],
  ['what is overdue ends at once', { ...team, subscriptionStatus: 'past_due' }, 'free', 'period_end', 'now', 0],
  ['what is overdue is paid first', { ...team, subscriptionStatus: 'past_due' }, 'enterprise', undefined, 'now', null],
  ['or is replaced by a lower tier', { ...team, subscriptionStatus: 'past_due' }, 'pro', undefined, 'now', null],
]

test('a preview knows when a tier comes, and what it costs at once', (t) => {
  for (const [what, account, tier, when, at, cents] of rows)
    t.deepEqual(changeTo({ ...nothing, ...account }, tier, when), { at, cents }, what)
})
