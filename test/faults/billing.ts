import type { Fault } from './fault.ts'

/** Tiers, subscriptions and credits. */
export const billing: Fault[] = [
  {
    id: 'billing/output-is-cheap',
    file: 'src/billing/prices.ts',
    find: 'inputTokens + outputWeight * outputTokens',
    replace: 'inputTokens + outputTokens',
    why: 'what a model writes costs a quarter',
    tests: ['test/src/billing/prices.test.ts'],
  },
  {
    id: 'billing/step-charged-twice',
    file: 'src/billing/credits.ts',
    find: 'if (before) return { charged: -before.credits, balance: account.balance }',
    replace: '',
    why: 'a step that is recorded again is charged again',
    tests: ['test/src/billing/billing.test.ts'],
  },
  {
    id: 'billing/upgrade-grants-all',
    file: 'src/billing/credits.ts',
    find: 'tierOf(account.tier).creditsPerMonth - month.reduce((sum, grant) => sum + grant.credits, 0)',
    replace: 'tierOf(account.tier).creditsPerMonth',
    why: 'each change of tier grants a whole month of credits',
    tests: ['test/src/billing/billing.test.ts'],
  },
  {
    id: 'billing/grant-while-past-due',
    file: 'src/billing/credits.ts',
    find: "&&\n    subscriptionOf(account, clock.now())?.status !== 'past_due'",
    replace: '',
    why: 'whoever does not pay goes on getting credits',
    tests: ['test/src/billing/billing.test.ts'],
  },
  {
    id: 'billing/last-day-of-month',
    file: 'src/billing/subscriptions.ts',
    find: 'if (end.getUTCDate() !== start.getUTCDate()) end.setUTCDate(0)',
    replace: '',
    why: 'a subscription of 31 January is paid until 3 March',
    tests: ['test/src/billing/billing.test.ts'],
  },
  {
    id: 'billing/pays-twice',
    file: 'src/billing/subscriptions.ts',
    find: 'if (isActive(before, tier)) return standingOf(before, clock.now())',
    replace: '',
    why: 'repeating a subscription charges the card again',
    tests: ['test/src/billing/billing.test.ts'],
  },
  {
    id: 'billing/card-of-another',
    file: 'src/billing/payment-methods.ts',
    find: '.delete().where({ id, ownerId })',
    replace: '.delete().where({ id })',
    why: 'anybody who knows its id removes another owner’s card',
    tests: ['test/src/billing/billing.test.ts'],
  },
]
