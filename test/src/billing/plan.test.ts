import test from 'ava'
import type { Asked } from '../../../src/billing/billing-request.ts'
import { isSame, mayCharge, overdueTierOf, planFor } from '../../../src/billing/plan.ts'
import { tierOf } from '../../../src/billing/tiers.ts'

type Subscribed = Parameters<typeof planFor>[0]

const free: Subscribed = { subscription: null, subscriptionStatus: null, tier: 'free', nextTier: null }
const team: Subscribed = { subscription: 'sub', subscriptionStatus: 'active', tier: 'team', nextTier: null }
const overdue: Subscribed = { ...team, subscriptionStatus: 'past_due' }

const change = (tier: Asked['tier'], at: Asked['at']): Asked => ({ action: 'change', subscription: 'sub', tier, at })
const keep: Asked = { action: 'keep', subscription: 'sub', tier: null, at: null }
const subscribe: Asked = { action: 'subscribe', subscription: null, tier: 'pro', at: null }
const pay: Asked = { action: 'pay_overdue', subscription: 'sub', tier: null, at: null }

test('an account comes to a tier by what its gateway has to be asked next', (t) => {
  const rows: [string, Subscribed, Parameters<typeof planFor>[1], Parameters<typeof planFor>[2], Asked | null][] = [
    ['a first one is begun', free, 'pro', undefined, subscribe],
    ['a higher one begins at once', team, 'enterprise', undefined, change('enterprise', 'now')],
    ['a lower one when the month is over', team, 'pro', undefined, change('pro', 'period_end')],
    ['unless it is wanted otherwise', team, 'pro', 'now', change('pro', 'now')],
    ['in both directions', team, 'enterprise', 'period_end', change('enterprise', 'period_end')],
    ['the present one is there', team, 'team', undefined, null],
    ['and is kept if another was to follow', { ...team, nextTier: 'pro' }, 'team', undefined, keep],
    ['also if none was to follow', { ...team, nextTier: 'free' }, 'team', undefined, keep],
    ['one that follows already is not asked for', { ...team, nextTier: 'pro' }, 'pro', undefined, null],
    ['but may begin at once', { ...team, nextTier: 'pro' }, 'pro', 'now', change('pro', 'now')],
    ['and is replaced by another', { ...team, nextTier: 'free' }, 'pro', undefined, change('pro', 'period_end')],
    ['what is overdue is paid first', overdue, 'team', undefined, pay],
    ['also before a higher one', overdue, 'enterprise', undefined, pay],
    ['a lower one takes its place at once', overdue, 'pro', undefined, change('pro', 'now')],
    ['unless it is to follow', overdue, 'pro', 'period_end', pay],
    ['an unpaid higher one is overdue', { ...overdue, nextTier: 'enterprise' }, 'team', 'now', change('team', 'now')],
    ['a lower one that was to follow is not', { ...overdue, nextTier: 'pro' }, 'team', undefined, pay],
  ]
  for (const [why, account, tier, when, asked] of rows) t.deepEqual(planFor(account, tier, when), asked, why)
})

test('the overdue tier is the present one, or a higher one that was to follow', (t) => {
  t.is(overdueTierOf({ tier: 'team', nextTier: null }), 'team')
  t.is(overdueTierOf({ tier: 'team', nextTier: 'pro' }), 'team')
  t.is(overdueTierOf({ tier: 'team', nextTier: 'enterprise' }), 'enterprise')
})

test('what charges more than is credited needs a card', (t) => {
  const price = tierOf('pro').centsPerMonth
  const rows: [Asked, number, boolean][] = [
    [subscribe, 0, true],
    [subscribe, price - 1, true],
    [subscribe, price, false],
    [change('pro', 'now'), 0, true],
    [change('pro', 'now'), price, false],
    [change('pro', 'period_end'), 0, false],
    [change(null, 'now'), 0, false],
    [{ ...change('pro', 'now'), action: 'cancel' }, 0, false],
    [keep, 0, false],
    [pay, price, true],
  ]
  for (const [asked, creditCents, charges] of rows)
    t.is(mayCharge(asked, { creditCents }), charges, JSON.stringify({ ...asked, creditCents }))
})

test('two requests are one if they ask for the same in every respect', (t) => {
  const asked = change('pro', 'now')
  t.true(isSame(asked, { ...asked }))
  const others = { action: 'cancel', subscription: 'other', tier: 'team', at: 'period_end' } as const
  for (const [name, value] of Object.entries(others)) t.false(isSame(asked, { ...asked, [name]: value }), name)
})
