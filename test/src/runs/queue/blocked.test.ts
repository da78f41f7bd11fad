import test from 'ava'
import {
  blockOf,
  chargesOf,
  isBlockBounded,
  messageOfBlock,
  reasonOfBlock,
  type Charge,
} from '../../../../src/runs/queue/blocked.ts'
import type { Trigger } from '../../../../workflows/messages.ts'

type Account = Parameters<typeof chargesOf>[0]

const paid: Account = { features: ['manual', 'scheduled', 'webhooks'], subscription: null, balance: 1 }
const subscription: NonNullable<Account['subscription']> = {
  tier: 'pro',
  status: 'active',
  currentPeriodEnd: new Date('2026-12-01T00:00:00Z'),
  nextTier: null,
  cancelledAt: null,
}
const overdue: Account['subscription'] = { ...subscription, status: 'past_due' }

test('what an owner has to pay for before a run may start, the first thing first', (t) => {
  const rows: [string, Account, Trigger, Charge[]][] = [
    ['nothing', paid, 'webhook', []],
    ['a subscription that is paid is no charge', { ...paid, subscription }, 'webhook', []],
    ['less than a credit is none', { ...paid, balance: 0.99 }, 'manual', ['credits']],
    ['an overdue subscription blocks webhooks', { ...paid, subscription: overdue }, 'webhook', ['past_due']],
    ['and nothing else', { ...paid, subscription: overdue }, 'scheduled', []],
    ['a tier without webhooks', { ...paid, features: ['manual', 'scheduled'] }, 'webhook', ['tier']],
    ['may do the rest', { ...paid, features: ['manual', 'scheduled'] }, 'scheduled', []],
    ['by hand, too', { ...paid, features: ['manual'] }, 'manual', []],
    ['but no more than it includes', { ...paid, features: ['manual'] }, 'scheduled', ['tier']],
    ['a closed workspace may nothing', { ...paid, features: [] }, 'manual', ['tier']],
    ['all at once', { features: [], subscription: overdue, balance: 0 }, 'webhook', ['tier', 'past_due', 'credits']],
  ]
  for (const [why, account, trigger, charges] of rows) t.deepEqual(chargesOf(account, trigger), charges, why)
})

test('a paused agent is blocked by its pause, others by the first charge', (t) => {
  const pausedAt = new Date('2026-11-21T09:00:00Z')
  const broke = { ...paid, features: [], balance: 0 }
  t.is(blockOf({ pausedAt }, broke, 'manual'), 'paused')
  t.is(blockOf({ pausedAt: null }, broke, 'manual'), 'tier')
  t.is(blockOf({ pausedAt: null }, paid, 'manual'), null)
})

test('a pause and a cap of a month may block a run for as long as they last', (t) => {
  for (const cause of ['tier', 'past_due', 'credits'] as const) t.true(isBlockBounded(cause, null), cause)
  t.false(isBlockBounded('paused', null))
  for (const cap of ['tokens', 'agent', 'workspace', 'account'] as const) t.false(isBlockBounded('credits', cap), cap)
  t.true(isBlockBounded('past_due', 'tokens'))
})

test('a run that was blocked for too long fails for its charge', (t) => {
  t.deepEqual(reasonOfBlock, { tier: 'TIER_REQUIRED', past_due: 'SUBSCRIPTION_PAST_DUE', credits: 'NO_CREDITS' })
})

test('the owner is told what to pay, or which cap to raise', (t) => {
  t.regex(messageOfBlock('tier', 'agent'), /upgrade with POST \/billing\/subscription/)
  t.regex(messageOfBlock('past_due', 'agent'), /overdue/)
  t.regex(messageOfBlock('credits', null), /no credits left/)
  t.is(
    messageOfBlock('credits', 'agent'),
    "The agent's monthly credit cap has been reached. Raise it with PATCH /agents/{id}, or wait until next month.",
  )
})
