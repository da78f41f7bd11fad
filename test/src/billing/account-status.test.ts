import test from 'ava'
import type { Account } from '../../../src/billing/account.ts'
import {
  fallsBelow,
  isPaid,
  nextGrantAt,
  requireCredits,
  requirePaidSubscription,
  agentAccountStatus,
  accountStatusOf as standingWith,
  subscriptionOf,
  timeOf,
  type Terms,
} from '../../../src/billing/account-status.ts'
import { testConfig } from '../../helpers/config.ts'
import { createAllowances } from '../../../src/billing/allowances.ts'
import { tierOf } from '../../../src/billing/tiers.ts'

const now = new Date('2026-11-21T09:00:00Z')
const ends = new Date('2026-12-01T00:00:00Z')

const account = (facts: Partial<Account> = {}): Account =>
  ({
    ownerId: 'user',
    tier: 'team',
    subscription: 'sub',
    subscriptionStatus: 'active',
    currentPeriodEnd: ends,
    nextTier: null,
    cancelledAt: null,
    clockSeconds: 0,
    balance: 100,
    creditCents: 7,
    creditsPerMonth: null,
    usedThisMonth: null,
    ...facts,
  }) as Account

const { of: allowanceOf } = createAllowances({ config: testConfig('postgres://unused') })

const accountStatusOf = (given: Account, bounds: Parameters<typeof standingWith>[2] = {}, more: Partial<Terms> = {}) =>
  standingWith(given, { allowance: allowanceOf(given), isCharged: true, withheld: null, now, ...more }, bounds)

test('an owner may do what the tier includes, with what is left of the balance', (t) => {
  const { limits, features } = tierOf('team')
  t.deepEqual(accountStatusOf(account()), {
    tier: 'team',
    limits,
    features,
    isClosing: false,
    isSuspended: false,
    subscription: { tier: 'team', status: 'active', currentPeriodEnd: ends, nextTier: null, cancelledAt: null },
    balance: 100,
    cap: null,
    total: 100,
    tokensUsed: 0,
    creditCents: 7,
    changesAt: new Date('2026-12-01T00:00:00Z'),
  })
})

test('nothing may be done for what is deleted or to be deleted, and for a workspace without the tier for it', (t) => {
  const featuresOf = (facts: Partial<Account>, options: Parameters<typeof accountStatusOf>[1] = {}) =>
    accountStatusOf(account(facts), options).features
  const workspace = { ownerId: 'workspace' }
  t.deepEqual(featuresOf({}, workspace), tierOf('team').features)
  t.deepEqual(featuresOf({ tier: 'pro' }), tierOf('pro').features)
  t.deepEqual(featuresOf({ tier: 'pro' }, workspace), [])
  t.deepEqual(featuresOf({}, { isDeleted: true }), [])
  t.deepEqual(featuresOf({ isClosing: true }), [])
  t.true(accountStatusOf(account({ isClosing: true })).isClosing)
})

test('of the balance and the caps, what leaves the least counts', (t) => {
  const of = (facts: Partial<Account>, left?: number, creditsLeft?: number | null) => {
    const standing = accountStatusOf(account(facts), left === undefined ? {} : { left })
    const { balance, cap, total } = agentAccountStatus(standing, creditsLeft === undefined ? {} : { creditsLeft })
    return [balance, cap, total]
  }
  t.deepEqual(of({}), [100, null, 100])
  t.deepEqual(of({ creditsPerMonth: 150, usedThisMonth: 60 }), [90, 'account', 100])
  t.deepEqual(of({ creditsPerMonth: 90 }), [90, 'account', 100], 'it has used nothing yet')
  t.deepEqual(of({ creditsPerMonth: 160, usedThisMonth: 60 }), [100, null, 100], 'as much as the balance')
  t.deepEqual(of({ creditsPerMonth: 50, usedThisMonth: 60 }), [-10, 'account', 100])
  t.deepEqual(of({ creditsPerMonth: 90 }, 80), [80, 'workspace', 100])
  t.deepEqual(of({ creditsPerMonth: 90 }, 95), [90, 'account', 100])
  t.deepEqual(of({}, 80, 70), [70, 'agent', 100])
  t.deepEqual(of({}, 80, 0), [0, 'agent', 100])
  t.deepEqual(of({}, 80, null), [80, 'workspace', 100])
})

test('the free tier has no subscription, others that of the gateway', (t) => {
  t.is(subscriptionOf(account({ tier: 'free' })), null)
  t.is(subscriptionOf(account({ currentPeriodEnd: null })), null)
  const told = { subscriptionStatus: 'past_due', nextTier: 'free', cancelledAt: now } as const
  t.deepEqual(subscriptionOf(account(told)), {
    tier: 'team',
    status: 'past_due',
    currentPeriodEnd: ends,
    nextTier: 'free',
    cancelledAt: now,
  })
})

test('a month is paid until its end, unless its payment is overdue', (t) => {
  t.true(isPaid(account({ tier: 'free' }), ends))
  t.true(isPaid(account(), new Date(Number(ends) - 1)))
  t.false(isPaid(account(), ends))
  t.false(isPaid(account({ subscriptionStatus: 'past_due' }), now))
})

test('an account has its own time, if its clock was advanced', (t) => {
  t.deepEqual(timeOf({ clockSeconds: 90 }, now), new Date('2026-11-21T09:01:30Z'))
})

test('an overdue subscription is refused, and less than one credit', (t) => {
  const { subscription } = accountStatusOf(account())
  t.notThrows(() => requirePaidSubscription({ subscription }))
  t.notThrows(() => requirePaidSubscription({ subscription: null }))
  const overdue = accountStatusOf(account({ subscriptionStatus: 'past_due' }))
  const error = t.throws(() => requirePaidSubscription(overdue))
  t.like(error, { code: 'SUBSCRIPTION_PAST_DUE' })
  t.notThrows(() => requireCredits({ balance: 1, cap: null, isSuspended: false }))
  const refusal = (cap: Parameters<typeof requireCredits>[0]['cap']) =>
    t.throws(() => requireCredits({ balance: 0.9, cap, isSuspended: false }))
  t.like(refusal(null), { code: 'NO_CREDITS', message: 'You have no credits left.' })
  for (const [cap, raise] of [
    ['account', /^The account's monthly credit cap .* PATCH \/billing,/],
    ['workspace', /^The workspace's monthly credit cap .* PATCH \/workspaces\/\{id\},/],
    ['agent', /^The agent's monthly credit cap .* PATCH \/agents\/\{id\},/],
  ] as const) {
    t.like(refusal(cap), { code: 'NO_CREDITS' })
    t.regex(refusal(cap)?.message ?? '', raise)
  }
})

test('credits are bought by the first balance below the threshold', (t) => {
  const before = { topUpEnabled: true, topUpBelow: 50, balance: 50 }
  t.true(fallsBelow(before, 49))
  t.true(fallsBelow({ ...before, balance: 51 }, 49))
  t.false(fallsBelow(before, 50))
  t.false(fallsBelow({ ...before, balance: 49 }, 48), 'an earlier one was below')
  t.false(fallsBelow({ ...before, topUpEnabled: false }, 49))
  t.false(fallsBelow({ ...before, topUpBelow: null }, -1))
})

test('the next credits of the free tier come with the next month, UTC', (t) => {
  t.deepEqual(nextGrantAt(now), ends)
  t.deepEqual(nextGrantAt(new Date('2026-12-31T23:59:59Z')), new Date('2027-01-01T00:00:00Z'))
})
